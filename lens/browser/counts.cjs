// Holds the browser's lens to the command: every variant, the same arguments, the same JSON.
//
//   node lens/browser/counts.cjs LENS.js COMMAND [VARIANT...]
//   node lens/browser/counts.cjs LENS.js --time N [VARIANT...]      how long it takes
//   node lens/browser/counts.cjs LENS.js --list                  the variants, as JSON
//
// Left out of the comparison are the seconds, and of lines the column and the function's full name, which compilers tell
// differently. Ends with 1 where they differ.
const fs = require('fs'), path = require('path'), vm = require('vm'), zlib = require('zlib'), { spawnSync } = require('child_process');

const [script, command, ...words] = process.argv.slice(2);
vm.runInThisContext(fs.readFileSync(script, 'utf8'));
const makeLens = new Function('require', '__dirname', '__filename', upsweepLens.glue + '\nreturn makeLens;')(require, __dirname, __filename);
vm.runInThisContext(fs.readFileSync(path.join(__dirname, 'one_run.js'), 'utf8'));  // lensRun
const module_ = new WebAssembly.Module(zlib.gunzipSync(Buffer.from(upsweepLens.module, 'base64')));
const ask = async asked => JSON.parse(await lensRun(makeLens, module_, asked));

// Numbers of one line, met at several columns, are added up; the worst stays the worst.
function add(to, from) {
  for (const [key, value] of Object.entries(from)) {
    if (typeof value === 'object') to[key] = add(to[key] || {}, value);
    else if (typeof value !== 'number' || key === 'line') to[key] = value;
    else to[key] = key === 'worst_degree' ? Math.max(to[key] || 0, value) : (to[key] || 0) + value;
  }
  return to;
}
function compared(result) {
  const of = part => {
    const lines = {};
    for (const { column, function: name, ...line } of part.lines) add(lines[`${line.what} ${line.file}:${line.line}`] ||= {}, line);
    return { ...part, lines };
  };
  const { seconds, ...rest } = result;
  return { ...rest, total: of(rest.total), launches: rest.launches.map(of) };
}
// The first place where two values differ; empty if none.
function difference(a, b, at = '') {
  if (typeof a !== 'object' || typeof b !== 'object' || !a || !b) return a === b ? '' : `${at}: ${JSON.stringify(a)} here, ${JSON.stringify(b)} natively`;
  for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
    const found = difference(a[key], b[key], `${at}/${key}`);
    if (found) return found;
  }
  return '';
}

const options = { n: 'n', block: 'block', op: 'op', type: 'type', input: 'input', seed: 'seed', resident: 'resident', withheld: 'withhold' };
function native(asked) {
  const words = ['lens', asked.variant, '--json', '-'];
  for (const [key, option] of Object.entries(options)) if (key in asked) words.push(`--${option}`, String(asked[key]));
  if (asked.inclusive) words.push('--inclusive');
  if (asked.in_place) words.push('--in-place');
  const done = spawnSync(command, words, { encoding: 'utf8', maxBuffer: 1 << 30 });
  return done.stdout.startsWith('{') ? { result: JSON.parse(done.stdout).result } : { error: done.stderr.trim() };
}

function cases(variant) {
  const square = /n²|n\^2|n\(n/.test(variant.work), all = [{ n: square ? 300 : 1000 }, { n: square ? 65 : 4097, seed: 7, resident: 2 }];
  if (variant.blocks.length > 1) all.push({ n: square ? 200 : 2000, block: Math.min(...variant.blocks), seed: 3 });
  all.push({ n: 777, type: 'f64' }, { n: 500, type: 'i32', seed: 5 });
  if (variant.folds) all.push({ n: 600, op: 'maximum', type: 'i64' }, { n: 600, op: 'compose_affine', type: 'u64' });
  else all.push({ n: 700, input: 'zipf' }, { n: 700, input: 'constant', in_place: true });
  if (variant.primitive === 'scan') all.push({ n: 1500, inclusive: true, type: 'f32' }, { n: 640, in_place: true });
  return all.map(one => ({ variant: variant.name, ...one }));
}

async function main() {
  const variants = await ask('list');
  if (command === '--list') return console.log(JSON.stringify(variants)) || 0;
  const wanted = command === '--time' ? words.slice(1) : words;
  const chosen = variants.filter(r => !wanted.length || wanted.includes(r.name));
  if (command === '--time') {
    for (const r of chosen) {
      if (/n²|n\^2|n\(n/.test(r.work) && +words[0] > 4096) continue;
      const begin = process.hrtime.bigint(), { result, error } = await ask({ variant: r.name, n: +words[0] });
      const all = Number(process.hrtime.bigint() - begin) / 1e9;
      console.log(error || `${r.name.padEnd(36)} ${result.seconds.toFixed(2)} s, with starting and JSON ${all.toFixed(2)} s`);
    }
    return 0;
  }
  const here = variants.map(r => r.name), listed = spawnSync(command, ['lens', '--list'], { encoding: 'utf8' }).stdout.match(/^ *[a-z0-9-]+\/[a-z0-9-]+/gm).map(s => s.trim());
  if (here.join() !== listed.join()) {
    console.log(`FAILED: the variants are ${here}, natively ${listed}`);
    return 1;
  }
  let failed = 0, ran = 0, refused = 0;
  for (const r of chosen) {
    const before = failed;
    for (const asked of cases(r)) {
      const mine = await ask(asked), theirs = native(asked);
      let wrong;
      if (mine.error || theirs.error) {
        ++refused;
        // The command names itself first.
        wrong = mine.error && theirs.error && theirs.error.endsWith(mine.error) ? '' : `'${mine.error || 'no error'}' here, '${theirs.error || 'no error'}' natively`;
      } else {
        ++ran;
        wrong = difference(compared(mine.result), compared(theirs.result));
      }
      if (wrong) { ++failed; console.log(`FAILED: ${JSON.stringify(asked)}: ${wrong}`) }
    }
    console.log(`${r.name}: ${cases(r).length} cases, ${failed - before} differ`);
  }
  console.log(`${chosen.length} variants: ${ran} runs and ${refused} refusals compared, ${failed} differ`);
  return failed || !ran ? 1 : 0;
}
main().then(status => process.exit(status), failure => { console.error(failure); process.exit(1) });
