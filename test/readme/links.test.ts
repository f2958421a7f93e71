import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import manifest from '../../package.json';
import { documents, linksOf, root } from './markdown';

/** Of the repository alone, as README.md says. */
const NOT_PACKED = 'example-graphql/';

describe('the links of the READMEs and the docs', () => {
  for (const document of documents) {
    it(`lead to files that are there: ${document}`, () => {
      const folder = path.join(root, path.dirname(document));
      const dead = linksOf(document).filter((to) => !existsSync(path.join(folder, to)));
      expect(dead).to.deep.equal([]);
    });
  }

  it('lead from README.md to files that are in the package', () => {
    const isPacked = (file: string) =>
      manifest.files.some((entry) => file === entry || file.startsWith(`${entry}/`));
    const links = linksOf('README.md').filter((to) => !to.startsWith(NOT_PACKED));
    expect(links).to.include('docs/loaders.md');
    expect(links.filter((to) => !isPacked(to))).to.deep.equal([]);
  });
});
