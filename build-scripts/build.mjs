// npm run build: the static site in dist/, to be carried by any web server under any path.
import { runMain } from './lib/run.mjs';
import { buildSite } from './lib/steps.mjs';

await runMain(buildSite);
