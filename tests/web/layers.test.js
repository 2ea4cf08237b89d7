// The layer check and the house rules find what they claim to find: each case is a small tree that is in order
// but for one file, and the finding must name that file, line and reason.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { checkHouse } from '../../build-scripts/house.mjs';
import { checkLayers, withoutCommentsAndStrings } from '../../build-scripts/layers.mjs';

/** A tree in order: one file or more of every layer. @type {Record<string, string>} */
const inOrder = {
  'cpp/include/attn/tensor.hpp': '// Tensors.\n#include <xtensor/xtensor.hpp>\n#include <vector>\n',
  'cpp/include/attn/mask.hpp': '// Masks.\n#include "attn/tensor.hpp"\n',
  'cpp/include/attn/version.hpp': '// Version.\ninline constexpr const char* version = "0.1.0";\n',
  'cpp/src/mask.cpp': '// Masks.\n#include "attn/mask.hpp"\n#include "kernels/dot.hpp"\n',
  'cpp/src/kernels/dot.hpp': '// Dots.\ntypedef float f4 __attribute__((vector_size(16)));\n',
  'cpp/src/kernels/dot.cpp': '// Dots.\n#include <immintrin.h>\n#include "dot.hpp"\n',
  'cpp/studies/studies.hpp': '// Studies.\n#include "attn/mask.hpp"\n',
  'cpp/studies/registry.cpp': '// Registry.\n#include "studies.hpp"\nint all[] = {one_study()};\n',
  'cpp/studies/one_study.cpp': '// A study.\n#include "studies.hpp"\n',
  'cpp/studies/one_study_claims.cpp': '// Its claims.\n#include "studies.hpp"\n',
  'cpp/bindings/bindings.cpp': '// Bridge.\n#include <emscripten/bind.h>\n#include "studies.hpp"\nusing emscripten::val;\n',
  'cpp/tools/attn.cpp': '// Command line.\n#include "studies.hpp"\nvoid say() { std::printf("hi"); }\n',
  'web/chart/axis.js': "// Axes.\nimport { scaleLinear } from 'd3-scale';\nimport { h } from './node.js';\n",
  'web/chart/node.js': '// Nodes.\n',
  'web/plates/one-study.js': "// A plate.\nimport { axis } from '../chart/axis.js';\n",
  'web/engine/engine.js': "// Engine.\nexport const worker = new URL('./worker.js', import.meta.url);\nnew Map().delete('key');\n",
  'web/elements/plate.js': "// Element.\nimport { html } from 'lit';\nimport '../engine/engine.js';\nimport('../plates/one-study.js');\n",
  'web/main.js': "// Entry.\nimport './elements/plate.js';\n",
  'package.json': '{ "version": "0.1.0" }',
  'package-lock.json': '{ "version": "0.1.0", "packages": { "node_modules/a": { "version": "1.0.0" } } }',
};

/** @type {string[]} */
const trees = [];
after(() => trees.forEach((tree) => rmSync(tree, { recursive: true, force: true })));

/** Writes the tree in order with some files replaced, added, or (null) left out. @param {Record<string, string | null>} changes */
function tree(changes) {
  const root = mkdtempSync(join(tmpdir(), 'layers-'));
  trees.push(root);
  for (const [path, text] of Object.entries({ ...inOrder, ...changes })) {
    if (text === null) continue;
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

test('a tree in order has no finding, and every file of it is read', () => {
  const root = tree({});
  const layers = checkLayers(root);
  assert.deepEqual(layers.findings, []);
  assert.equal(layers.files, Object.keys(inOrder).filter((path) => !path.endsWith('.json')).length);
  assert.deepEqual(checkHouse(root).findings, []);
});

/** @type {[string, string, string, number, RegExp][]} name, file, text, line, message */
const violations = [
  ['the core includes a study', 'cpp/src/mask.cpp', '// M\n#include "studies.hpp"\n', 2, /may not include cpp\/studies\/studies\.hpp/],
  ['a public header includes a private one', 'cpp/include/attn/mask.hpp', '// M\n\n#include "kernels/dot.hpp"\n', 3, /may not include cpp\/src\/kernels/],
  ['a second file includes xtensor', 'cpp/src/mask.cpp', '// M\n#include <xtensor/xview.hpp>\n', 2, /may not include <xtensor\/xview\.hpp>/],
  ['the tensor header includes another library', 'cpp/include/attn/tensor.hpp', '// T\n#include <xsimd/xsimd.hpp>\n', 2, /may not include <xsimd/],
  ['a header that is not there', 'cpp/src/mask.cpp', '// M\n#include "attn/gone.hpp"\n', 2, /not in the repository/],
  ['intrinsics outside the kernels', 'cpp/src/mask.cpp', '// M\n#include <immintrin.h>\n', 2, /may not include <immintrin\.h>/],
  ['vector types outside the kernels', 'cpp/studies/one_study.cpp', '// S\ntypedef int v __attribute__((vector_size(16)));\n', 2, /SIMD/],
  ['a study that knows Emscripten', 'cpp/studies/one_study.cpp', '// S\n#include <emscripten/bind.h>\n', 2, /may not include <emscripten/],
  ['a study that names emscripten', 'cpp/studies/one_study.cpp', '// S\nemscripten::val v;\n', 2, /only cpp\/bindings/],
  ['a study that reaches behind the core', 'cpp/studies/one_study.cpp', '// S\n#include "kernels/dot.hpp"\n', 2, /may not include cpp\/src/],
  ['the core writes', 'cpp/src/mask.cpp', '// M\nvoid f() { std::cout << 1; }\n', 2, /read or write/],
  ['the core prints', 'cpp/src/mask.cpp', '// M\nvoid f() { printf("x"); }\n', 2, /read or write/],
  ["the standard library's distributions", 'cpp/src/mask.cpp', '// M\nstd::normal_distribution<double> d;\n', 2, /attn\/random/],
  ['a folder nobody knows', 'cpp/extra/more.cpp', '// X\n', 0, /no place in the layers/],
  ['a chart imports a plate', 'web/chart/axis.js', "// A\nimport '../plates/one-study.js';\n", 2, /may not import web\/plates/],
  ['a chart imports lit', 'web/chart/axis.js', "// A\nimport { svg } from 'lit';\n", 2, /may not import 'lit'/],
  ['a chart imports a type of the engine', 'web/chart/axis.js', "// A\n/** @import { Study } from '../engine/engine.js' */\n", 2, /may not import web\/engine/],
  ['a chart names a type of the engine', 'web/chart/axis.js', "// A\n\n/** @type {import('../engine/engine.js').Study} */\n", 3, /may not import web\/engine/],
  ['a plate imports the engine', 'web/plates/one-study.js', "// P\nexport { a } from '../engine/engine.js';\n", 2, /may not import web\/engine/],
  ['the engine imports an element', 'web/engine/engine.js', "// E\nconst a = await import('../elements/plate.js');\n", 2, /may not import web\/elements/],
  ['the engine imports a package', 'web/engine/engine.js', "// E\nimport 'lit';\n", 2, /may not import 'lit'/],
  ['a worker from another layer', 'web/engine/engine.js', "// E\nnew URL('../elements/plate.js', import.meta.url);\n", 2, /may not import web\/elements/],
  ['a module that leaves web/', 'web/elements/plate.js', "// E\nimport '../../build-scripts/x.mjs';\n", 2, /may not import build-scripts/],
  ['a handle freed', 'web/engine/engine.js', '// E\n\nhandle.delete();\n', 3, /no C\+\+ handle/],
  ['an unseeded number', 'web/elements/plate.js', '// E\nMath.random();\n', 2, /seeds are explicit/],
  ['a study without plate and entry', 'cpp/studies/lonely.cpp', '// S\n', 0, /./],
];

for (const [name, file, text, line, message] of violations) {
  test(`found: ${name}`, () => {
    const { findings } = checkLayers(tree({ [file]: text }));
    assert.ok(findings.length > 0, 'nothing was found');
    for (const finding of findings) {
      assert.equal(finding.file, file);
      assert.equal(finding.line, line);
      assert.match(finding.message, message);
    }
  });
}

test('found: a study that is not in the registry, and one that has no plate', () => {
  assert.deepEqual(
    checkLayers(tree({ 'cpp/studies/lonely.cpp': '// S\n' })).findings.map(({ message }) => message),
    ['is not in cpp/studies/registry.cpp', 'has no plate web/plates/lonely.js'],
  );
  // A mention in a comment registers nothing.
  const commented = tree({ 'cpp/studies/registry.cpp': '// one_study\n#include "studies.hpp"\n' });
  assert.deepEqual(
    checkLayers(commented).findings.map(({ message }) => message),
    ['is not in cpp/studies/registry.cpp'],
  );
});

test('found: an empty tree', () => {
  const root = mkdtempSync(join(tmpdir(), 'layers-'));
  trees.push(root);
  assert.equal(checkLayers(root).findings.length, 1);
});

test('comments and strings are no code, includes are', () => {
  const text = '#include "a.hpp" // vector_size\nauto s = "emscripten::val"; /* std::cout\n */ int x;\n';
  const code = withoutCommentsAndStrings(text);
  assert.match(code, /#include "a\.hpp"/);
  assert.doesNotMatch(code, /vector_size|emscripten|cout/);
  assert.equal(code.length, text.length);
  assert.equal(code.split('\n').length, text.split('\n').length);
});

/** @type {[string, Record<string, string>, RegExp][]} */
const untidy = [
  ['two versions', { 'package.json': '{ "version": "0.2.0" }' }, /version 0\.2\.0/],
  ['an address in the lock file', { 'package-lock.json': '{ "version": "0.1.0", "packages": { "node_modules/a": { "resolved": "x" } } }' }, /"resolved"/],
  ['a long file', { 'web/main.js': `// Entry.\n${'f();\n'.repeat(450)}` }, /451 lines/],
  ['a file without an opening', { 'web/main.js': 'f();\n' }, /does not open/],
  ['work left over', { 'web/main.js': '// Entry.\n// TO' + 'DO later\n' }, /for later/],
];
for (const [name, changes, message] of untidy) {
  test(`found: ${name}`, () => {
    const { findings } = checkHouse(tree(changes));
    assert.equal(findings.length, 1);
    assert.match(findings[0].message, message);
    assert.equal(findings[0].file, Object.keys(changes)[0]);
  });
}
