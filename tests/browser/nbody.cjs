// The page of `upsweep nbody --view` in a real browser: node nbody.cjs COMMAND CHROMIUM [SCREENSHOT]
// It loads, bodies move, controls act, strangers are refused, a lost connection is said and recovered, two run side by side.
'use strict';
const assert = require('node:assert/strict');
const http = require('node:http');
const { spawn } = require('node:child_process');
let chromium;
try {
  ({ chromium } = require('playwright-core'));
} catch {
  console.log('skipped: playwright-core is not there (npm install --prefix build/browser playwright-core)');
  process.exit(77);
}

const [command, browser_path, screenshot] = process.argv.slice(2);
const running = new Set();

function start(args) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, ['nbody', '--view', ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    running.add(child);
    let out = '', err = '';
    child.stdout.on('data', (text) => {
      out += text;
      const found = out.match(/http:\/\/\S+/);
      if (found) resolve({ child, url: new URL(found[0]) });
    });
    child.stderr.on('data', (text) => { err += text; });
    child.on('exit', (code) => { running.delete(child); reject(Object.assign(new Error(err), { code })); });
  });
}
const stop = (child) => new Promise((resolve) => { child.on('exit', resolve); child.kill('SIGKILL'); });

function status(url, headers = {}) {
  return new Promise((resolve, reject) => {
    const request = http.request(url, { headers }, (reply) => { reply.resume(); resolve(reply.statusCode); });
    request.on('upgrade', (reply, socket) => { socket.destroy(); resolve(101); });
    request.on('error', reject);
    request.end();
  });
}

async function strangers(url) {
  const upgrade = { Connection: 'Upgrade', Upgrade: 'websocket', 'Sec-WebSocket-Version': '13', 'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==' };
  const live = new URL('live', url), origin = `http://${url.host}`;
  assert.equal(await status(new URL('/', url)), 404, 'no token');
  assert.equal(await status(new URL('/0123456789abcdef0123/', url)), 404, 'another token');
  assert.equal(await status(url, { Host: 'evil.example' }), 403, 'another name');
  assert.equal(await status(live, { ...upgrade, Origin: 'http://evil.example' }), 403, 'another origin');
  assert.equal(await status(live, upgrade), 403, 'no origin');
  assert.equal(await status(live, { ...upgrade, Origin: origin }), 101, 'its own');
  assert.equal(await status(new URL('nothing', url)), 404);
}

async function main() {
  const token = 'atokenforthetest0';
  let { child, url } = await start(['--scene', 'collision', '--bodies', '2000', '--token', token, '--device', 'cpu']);
  await assert.rejects(start(['--scene', 'figure-eight', '--port', url.port]), /another program uses it/);
  await strangers(url);

  const browser = await chromium.launch({ executablePath: browser_path, args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'] });
  const page = await browser.newPage({ viewport: { width: 1280, height: 760 } });
  const complaints = [], asked = [];
  page.on('console', (m) => { if (m.type() === 'error') complaints.push(m.text()); });
  page.on('pageerror', (e) => complaints.push(e.message));
  page.on('request', (r) => asked.push(r.url()));
  await page.goto(url.href);

  const data = (name) => page.evaluate((n) => document.documentElement.dataset[n], name);
  const until = (test, what, arg) => page.waitForFunction(test, arg, { timeout: 20000 }).catch(() => assert.fail(`it never came to this: ${what}`));
  const drawn = (n) => until((k) => Number(document.documentElement.dataset.drawn) >= k, 'drawn', n);
  const text = (id) => page.textContent(`#${id}`);
  const step = async () => Number(await data('step'));
  const sky = () => page.screenshot({ clip: { x: 300, y: 150, width: 600, height: 500 } });

  // It loads, and bodies move.
  await drawn(5);
  assert.match(await text('subtitle'), /2,000 bodies .* on|2,000 bodies/);
  const first = await sky(), early = await step();
  await until((s) => Number(document.documentElement.dataset.step) > s + 5, 'steps', early);
  assert.ok(!first.equals(await sky()), 'the picture changes');

  // Pause, one step, and on.
  await page.click('#pause');
  await until(() => document.getElementById('pause').textContent === 'go on', 'paused');
  const standing = () => until(() => document.documentElement.dataset.fine === 'yes', 'a picture that stands');
  await standing();
  const still = await step();
  await page.waitForTimeout(300);
  assert.equal(await step(), still, 'paused is paused');
  await page.click('#step');
  await until((s) => Number(document.documentElement.dataset.step) === s + 1, 'one step', still);

  // Rotate and zoom, while it is paused.
  await standing();
  const frozen = await sky();
  await page.mouse.move(600, 400);
  await page.mouse.down();
  await page.mouse.move(700, 470, { steps: 4 });
  await page.mouse.up();
  await page.waitForTimeout(100);
  await standing();
  const rotated = await sky();
  assert.ok(!frozen.equals(rotated), 'dragging turns');
  await page.mouse.wheel(0, -600);
  await until(() => Number(document.documentElement.dataset.zoom) > 1.5, 'zoomed');
  await standing();
  assert.ok(!rotated.equals(await sky()), 'the wheel zooms');
  await page.mouse.dblclick(600, 400);
  await page.click('#pause');
  await until((s) => Number(document.documentElement.dataset.step) > s + 3, 'goes on', still);

  // Angle, method, speed.
  await page.fill('#theta', '0.9');
  await page.selectOption('#method', 'barnes-hut');
  await until(() => /barnes-hut.*theta 0\.9/.test(document.getElementById('subtitle').textContent), 'theta and method');
  await page.fill('#speed', '100');
  await until(() => document.getElementById('speed-text').textContent === 'all it can', 'speed');
  await until(() => /e[+-]\d/.test(document.getElementById('energy-text').textContent) && Number(document.documentElement.dataset.rate) > 0, 'drift and rate');

  // The number of bodies, a bad number, another scene.
  await page.fill('#bodies', '500');
  await page.press('#bodies', 'Enter');
  await until(() => /^500 bodies/.test(document.getElementById('subtitle').textContent), 'n');
  await page.fill('#bodies', '3');
  await page.press('#bodies', 'Enter');
  await until(() => !document.getElementById('said').hidden && /at least 32/.test(document.getElementById('said').textContent), 'a refusal');
  await page.selectOption('#scene', 'figure-eight');
  await until(() => document.getElementById('title').textContent === 'figure-eight' && Number(document.documentElement.dataset.step) > 2, 'another scene');
  await page.click('#restart');
  const fps = await data('fps');

  // A lost connection is said, and recovered.
  assert.deepEqual(complaints, []);
  await stop(child);
  await page.waitForSelector('#lost:not([hidden])', { timeout: 10000 });
  assert.match(await text('lost'), /connection is lost/);
  assert.equal(await data('connected'), 'no');
  ({ child } = await start(['--scene', 'disk', '--bodies', '1000', '--token', token, '--port', url.port, '--device', 'cpu']));
  await page.waitForSelector('#lost', { state: 'hidden', timeout: 20000 });
  await until(() => document.getElementById('title').textContent === 'disk' && Number(document.documentElement.dataset.step) > 1, 'recovered');
  await stop(child);

  // Two side by side.
  ({ child, url: asked.own } = await start(['--scene', 'collision', '--bodies', '1000', '--compare', 'cpu:1,cpu:2', '--token', token, '--port', url.port]));
  await until(() => document.querySelectorAll('#labels span').length === 2 && /at most/.test(document.getElementById('difference-text').textContent), 'two sides and their difference');
  await page.check('#race');
  await until(() => / · /.test(document.getElementById('rate-text').textContent), 'a race');
  await stop(child);

  for (const one of asked) assert.ok(one.startsWith(`http://${url.host}/${token}/`) || one.startsWith('data:') || one.startsWith(`ws://${url.host}/`), `the page asks for ${one}`);
  if (screenshot) await page.screenshot({ path: screenshot });
  await browser.close();
  console.log(`the view works; ${fps} pictures a second here`);
}

main().then(() => 0, (e) => { console.error(e); return 1; }).then((code) => {
  for (const child of running) child.kill('SIGKILL');
  process.exit(code);
});
