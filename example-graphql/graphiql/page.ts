import { tabs } from './tabs';

/** Where the page's files are served. */
export const ASSETS = '/graphiql/files';

// "<" could end the script element.
const tabsAsScript = JSON.stringify(tabs).replaceAll('<', '\\u003c');

/** The GraphiQL page: everything it needs comes from this server. */
export const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Neighbourhood - GraphiQL</title>
    <link rel="icon" href="data:," />
    <link rel="stylesheet" href="${ASSETS}/graphiql.css" />
    <style>
      body { margin: 0; }
      #graphiql { height: 100vh; }
    </style>
  </head>
  <body>
    <div id="graphiql">Loading</div>
    <script src="${ASSETS}/react.js"></script>
    <script src="${ASSETS}/react-dom.js"></script>
    <script src="${ASSETS}/graphiql.js"></script>
    <script>
      ReactDOM.createRoot(document.getElementById('graphiql')).render(
        React.createElement(GraphiQL, {
          fetcher: GraphiQL.createFetcher({ url: '/graphql' }),
          defaultTabs: ${tabsAsScript},
          shouldPersistHeaders: true,
          defaultEditorToolsVisibility: true,
        }),
      );
    </script>
  </body>
</html>
`;
