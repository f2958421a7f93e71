import js from '@eslint/js';
import tseslint from 'typescript-eslint';

// The rooms that know nothing of each other: types may cross, values may not.
const rooms = ['operation', 'statement', 'catalog', 'freshness', 'replicas', 'routing'];

const sealed = rooms.map((room) => ({
  files: [`src/${room}/**/*.ts`],
  rules: {
    '@typescript-eslint/no-restricted-imports': [
      'error',
      {
        patterns: [
          {
            group: ['../*', '!../errors', '!../clock'],
            allowTypeImports: true,
            message: `src/${room}/ imports no sibling room; the wiring is done in src/sequelize/ and src/fresh-reads.ts.`,
          },
          { group: ['sequelize', 'sequelize/*'], message: 'Only src/sequelize/ knows Sequelize.' },
          { group: ['@apollo/*'], message: 'Only src/apollo/ knows Apollo.' },
        ],
      },
    ],
  },
}));

export default tseslint.config(
  { ignores: ['dist/', 'node_modules/', 'coverage/'] },
  js.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [...tseslint.configs.strictTypeChecked, ...tseslint.configs.stylisticTypeChecked],
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-confusing-void-expression': [
        'error',
        { ignoreArrowShorthand: true, ignoreVoidReturningFunctions: true },
      ],
      '@typescript-eslint/no-non-null-assertion': 'error',
      // Hooks of others want a promise, whether or not there is something to wait for.
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
    },
  },
  ...sealed,
  {
    files: ['test/**/*.ts'],
    rules: {
      '@typescript-eslint/no-unused-expressions': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
    },
  },
  {
    files: ['**/*.mjs'],
    languageOptions: { globals: { process: 'readonly', console: 'readonly', URL: 'readonly' } },
  },
);
