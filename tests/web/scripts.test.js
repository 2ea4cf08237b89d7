// The scripts behind the npm commands: what they say to wrong options, when they reinstall, how the toolchain script
// reads a machine. Nothing here downloads, builds or needs another machine: functions are called on files made for it.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { packagesAreCurrent } from '../../build-scripts/lib/steps.mjs';
import { root } from './support.js';

const scripts = join(root, 'build-scripts');

/** @type {string[]} */
const folders = [];
after(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

/** A new folder with files in it. @param {Record<string, string>} files */
function folderOf(files) {
  const folder = mkdtempSync(join(tmpdir(), 'scripts-'));
  folders.push(folder);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

/** @param {string} script @param {string[]} args */
const run = (script, ...args) => spawnSync(process.execPath, [join(scripts, script), ...args], { encoding: 'utf8' });

/** Bash with the toolchain script's functions. @param {string} code @param {string[]} args $1, $2... @param {NodeJS.ProcessEnv} [env] */
const bash = (code, args = [], env = process.env) =>
  spawnSync('bash', ['-c', `source "$SCRIPT"; ${code}`, 'test', ...args], { encoding: 'utf8', env: { ...env, SCRIPT: join(scripts, 'toolchain.sh') } });

test('npm start names the option or the port that is wrong, before it builds anything', () => {
  for (const port of ['70000', '-1', '80.5', 'http', '']) {
    const { status, stderr, stdout } = run('start.mjs', `--port=${port}`);
    assert.equal(status, 1, port);
    assert.equal(stderr, `--port must be a whole number from 0 to 65535, not '${port}'.\n`);
    assert.equal(stdout, '');
  }
  const { status, stderr } = run('start.mjs', '--prot', '8000');
  assert.equal(status, 1);
  assert.match(stderr, /--prot[^]*Usage: npm start -- \[--port N\]/);
});

test('npm test names an unknown suite and an unknown option', () => {
  const suite = run('test.mjs', '--only', 'native,nativ');
  assert.equal(suite.status, 1);
  assert.match(suite.stderr, /no suite 'nativ'; there are: check, native, /);
  assert.equal(run('test.mjs', '--olny', 'native').status, 1);
  // A choice of nothing is no reason to call everything passed.
  assert.equal(run('test.mjs', '--only', '').status, 1);
});

test('packages are installed anew only when the lock file asks for others', () => {
  const lock = (/** @type {object} */ packages) => JSON.stringify({ packages });
  const wanted = { '': {}, 'node_modules/a': { version: '1.0.0', integrity: 'x' }, 'node_modules/b': { version: '2.0.0', optional: true } };
  const { '': _, ...installed } = wanted;
  /** @param {object | undefined} inModules */
  const current = (inModules) => packagesAreCurrent(folderOf({
    'package-lock.json': lock(wanted),
    ...(inModules && { 'node_modules/.package-lock.json': lock(inModules) }),
  }));
  assert.equal(current(installed), true);
  // An optional package of another platform is not missed.
  assert.equal(current({ 'node_modules/a': wanted['node_modules/a'] }), true);
  assert.equal(current(undefined), false);
  assert.equal(current({}), false);
  assert.equal(current({ 'node_modules/a': { version: '1.0.1', integrity: 'x' } }), false);
  assert.equal(current({ 'node_modules/a': { version: '1.0.0', integrity: 'y' } }), false);
  assert.equal(current({ ...installed, 'node_modules/c': { version: '1.0.0' } }), false);
});

test('the toolchain script explains itself when asked for what it does not know', () => {
  for (const args of [[], ['everything'], ['native', 'wasm']]) {
    const { status, stderr } = spawnSync('bash', [join(scripts, 'toolchain.sh'), ...args], { encoding: 'utf8' });
    assert.equal(status, 2);
    assert.match(stderr, /^toolchain\.sh native [^]*toolchain\.sh all /);
  }
});

test('versions compare as versions', () => {
  for (const [newer, older, expected] of [
    ['3.1.69', '3.1.69', 0], ['3.1.70', '3.1.69', 0], ['4.0.0', '3.1.69', 0], ['3.10.0', '3.9.0', 0],
    ['3.1.6', '3.1.69', 1], ['3.1.9', '3.1.69', 1], ['2.9.99', '3.1.69', 1],
  ]) {
    assert.equal(bash('version_at_least "$1" "$2"', [`${newer}`, `${older}`]).status, expected, `${newer} ${older}`);
  }
});

test('an emcc on PATH is used when it is new enough', () => {
  /** @param {string} version */
  const found = (version) => {
    const folder = folderOf({
      emcc: `#!/bin/sh\necho "emcc (Emscripten gcc/clang-like replacement + linker emulating GNU ld) ${version} (0123abcd)"\n`,
      'em-config': '#!/bin/sh\necho /opt/emscripten\n',
    });
    for (const name of ['emcc', 'em-config']) chmodSync(join(folder, name), 0o755);
    return bash('emcc_on_path', [], { ...process.env, PATH: `${folder}:${process.env.PATH}` });
  };
  assert.deepEqual([found('3.1.69').status, found('3.1.69').stdout], [0, '/opt/emscripten\n']);
  assert.equal(found('6.0.5-git').status, 0);
  assert.equal(found('3.1.6').status, 1);
  assert.equal(found('unknown').status, 1);
});

test("the machine's own Debian source is kept, with another suite", () => {
  const deb822 = folderOf({
    'debian.sources': `# A comment

# A paragraph of comments counts for nothing.

Types: deb
URIs: http://mirror.invalid/security
Suites: bookworm-security
Components: main

Enabled: yes
Types: deb
# in the middle
URIs:
 http://mirror.invalid/debian
Suites: bookworm bookworm-updates
Components: main contrib
Signed-By:
 /usr/share/keyrings/debian-archive-keyring.gpg
`,
  });
  assert.equal(
    bash('deb822_entry "$1" 2', [join(deb822, 'debian.sources')]).stdout,
    `URIs:
 http://mirror.invalid/debian
Signed-By:
 /usr/share/keyrings/debian-archive-keyring.gpg
Types: deb deb-src
Suites: trixie
Components: main
`,
  );
  const list = folderOf({
    'sources.list': `# deb http://mirror.invalid/old stretch main
deb http://mirror.invalid/debian bookworm main contrib
deb [arch=amd64 signed-by=/usr/share/keyrings/k.gpg]  http://mirror.invalid/debian/ bookworm main
`,
  });
  assert.equal(
    bash('one_line_entry "$1" 2', [join(list, 'sources.list')]).stdout,
    'deb http://mirror.invalid/debian trixie main\ndeb-src http://mirror.invalid/debian trixie main\n',
  );
  assert.equal(
    bash('one_line_entry "$1" 3', [join(list, 'sources.list')]).stdout,
    ['deb', 'deb-src'].map((type) => `${type} [arch=amd64 signed-by=/usr/share/keyrings/k.gpg] http://mirror.invalid/debian/ trixie main\n`).join(''),
  );
});

test('where nothing can be installed, one message lists everything that is missing', () => {
  const elsewhere = bash('is_debian() { return 1; }; missing=(cmake "xtensor >= 0.25.0"); install_missing');
  assert.equal(elsewhere.status, 1);
  assert.match(elsewhere.stderr, /package manager[^]*\n {2}cmake\n {2}xtensor >= 0\.25\.0\n/);
  const unprivileged = bash('is_debian() { return 0; }; is_root() { return 1; }; missing=(cmake ninja-build); install_missing');
  assert.equal(unprivileged.status, 1);
  assert.match(unprivileged.stderr, /only root[^]*apt-get install --no-install-recommends cmake ninja-build\n/);
});

test('a half-unpacked part does not count, a whole one of another version neither', () => {
  const folder = folderOf({ 'whole/.stamp': '1.0', 'half/file': '', 'old/.stamp': '0.9' });
  const parts = bash('tc=$1; for part in whole half old gone; do part_is $part 1.0 && echo $part; done; true', [folder]);
  assert.equal(parts.stdout, 'whole\n');
});
