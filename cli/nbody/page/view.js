'use strict';
// The page of `upsweep nbody --view`: positions arrive in binary by a socket and are copied to the GPU unchanged.
const $ = (id) => document.getElementById(id);
const sky = $('sky');
const page = document.documentElement.dataset;  // read by tests: connected, drawn, fps, step

// ---- the picture ------------------------------------------------------------------------------------------------------

const gl = sky.getContext('webgl', { alpha: false, antialias: false, depth: false, powerPreference: 'high-performance' });
let sprites = null;

const vertexText = `
  attribute vec3 place;
  attribute float look;
  uniform mat3 turned;
  uniform vec3 scale;       // 1 / reach; aspect of the picture; pixels of its height
  uniform float zoom, size, light, dark, soft;
  varying vec4 colour;
  void main() {
    vec3 p = turned * place * scale.x * zoom;
    float depth = 4.0 - p.z;
    bool large = look == 4.0, unseen = look == 3.0;
    gl_Position = depth > 0.1 ? vec4(p.x * 4.0 / scale.y, p.y * 4.0, 0.0, depth) : vec4(9.0, 9.0, 9.0, 1.0);
    vec3 warm = vec3(1.0, 0.56, 0.26), cool = vec3(0.30, 0.58, 1.0), old = vec3(1.0, 0.83, 0.58), violet = vec3(0.50, 0.38, 0.72);
    vec3 c = look == 0.0 ? warm : look == 1.0 ? cool : look == 2.0 ? old : unseen ? violet : large ? vec3(1.0, 0.9, 0.7) : vec3(0.75, 0.8, 0.9);
    float near = clamp(4.0 / depth, 0.4, 2.5);
    gl_PointSize = clamp((large ? 3.5 : 1.0) * size * near * clamp(sqrt(zoom), 0.7, 2.2), 1.0, 128.0);
    colour = vec4(c, (unseen ? dark * 0.35 : large ? 1.0 : light) * clamp(near * near, 0.2, 1.6));
    if (unseen && dark == 0.0) gl_Position = vec4(9.0, 9.0, 9.0, 1.0);
  }`;
const fragmentText = `
  precision mediump float;
  varying vec4 colour;
  uniform float soft;
  void main() {
    vec2 d = 2.0 * gl_PointCoord - 1.0;
    float r2 = dot(d, d);
    if (r2 > 1.0) discard;
    float fall = 1.0 - r2, spot = fall * fall;
    float tight = spot * spot * spot;
    vec3 sharp = colour.rgb * (0.75 * tight + 0.25 * spot) + vec3(0.35) * tight * spot;
    gl_FragColor = vec4(colour.a * mix(sharp, colour.rgb * spot, soft), 1.0);
  }`;

// The glow is drawn small, once for all bodies, and spread out under the picture.
const laidVertex = 'attribute vec2 corner; varying vec2 at; void main() { at = 0.5 * corner + 0.5; gl_Position = vec4(corner, 0.0, 1.0); }';
const laidFragment = 'precision mediump float; varying vec2 at; uniform sampler2D glow;' +
  'void main() { vec4 g = texture2D(glow, at); gl_FragColor = vec4(0.012, 0.016, 0.035, 1.0) + g * (0.9 - 0.42 * g); }';
const ownFragment = 'precision mediump float; varying vec2 at; uniform sampler2D glow; void main() { gl_FragColor = texture2D(glow, at); }';
const glow_shrunk = 6;

// Without a graphics card every pixel costs: fewer of them then, while bodies move.
const software = (() => {
  const named = gl && gl.getExtension('WEBGL_debug_renderer_info');
  return !named || /swiftshader|llvmpipe|softpipe|software/i.test(gl.getParameter(named.UNMASKED_RENDERER_WEBGL));
})();

function program(vertex, fragment) {
  const made = gl.createProgram();
  for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
    gl.attachShader(made, shader);
  }
  gl.linkProgram(made);
  if (!gl.getProgramParameter(made, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(made));
  return made;
}

let laid = null;
function prepare() {
  const p = program(vertexText, fragmentText), at = {};
  for (const name of ['turned', 'scale', 'zoom', 'size', 'light', 'dark', 'soft']) at[name] = gl.getUniformLocation(p, name);
  sprites = { p, at, place: gl.getAttribLocation(p, 'place'), look: gl.getAttribLocation(p, 'look'), places: gl.createBuffer(), looks: gl.createBuffer() };
  const q = program(laidVertex, laidFragment);
  laid = { p: q, corner: gl.getAttribLocation(q, 'corner'), corners: gl.createBuffer(), texture: gl.createTexture(), frame: gl.createFramebuffer(), w: 0, h: 0 };
  gl.bindBuffer(gl.ARRAY_BUFFER, laid.corners);
  gl.bufferData(gl.ARRAY_BUFFER, new Float32Array([-1, -1, 1, -1, -1, 1, 1, 1]), gl.STATIC_DRAW);
  laid.as_it_is = program(laidVertex, ownFragment);  // its one attribute has the same place
  laid.own = gl.createTexture();
  for (const texture of [laid.own, laid.texture]) {
    gl.bindTexture(gl.TEXTURE_2D, texture);
    for (const [name, value] of [[gl.TEXTURE_MIN_FILTER, gl.LINEAR], [gl.TEXTURE_MAG_FILTER, gl.LINEAR], [gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE], [gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE]])
      gl.texParameteri(gl.TEXTURE_2D, name, value);
  }
  gl.enable(gl.BLEND);
  gl.blendFunc(gl.ONE, gl.ONE);
  for (const k of [sprites.place, sprites.look, laid.corner]) gl.enableVertexAttribArray(k);
}
if (gl) {
  prepare();
  sky.addEventListener('webglcontextlost', (e) => e.preventDefault());
  sky.addEventListener('webglcontextrestored', () => { prepare(); if (kinds) takeLooks(kinds); fresh = true; });
} else {
  $('subtitle').textContent = 'this browser has no WebGL, which the bodies are drawn with';
}

const eye = { yaw: 0, pitch: 60, zoom: 1 };
let scene = null, shot = null, kinds = null, lit = 1;
let fresh = false, dirty = true;  // fresh: positions are not yet on the GPU; dirty: the shown picture is out of date

function takeLooks(bytes) {
  kinds = bytes;
  lit = bytes.reduce((n, look) => n + (look !== 3 && look !== 4), 0);
  if (!gl) return;
  gl.bindBuffer(gl.ARRAY_BUFFER, sprites.looks);
  gl.bufferData(gl.ARRAY_BUFFER, bytes, gl.STATIC_DRAW);
}
function upload() {
  fresh = false;
  gl.bindBuffer(gl.ARRAY_BUFFER, sprites.places);
  gl.bufferData(gl.ARRAY_BUFFER, shot.places, gl.STREAM_DRAW);
}

function turned() {
  const y = eye.yaw * Math.PI / 180, p = eye.pitch * Math.PI / 180;
  const cy = Math.cos(y), sy = Math.sin(y), cp = Math.cos(p), sp = Math.sin(p);
  return new Float32Array([cy, -sy * sp, sy * cp, sy, cy * sp, -cy * cp, 0, cp, sp]);  // column by column
}

function resize() {
  const ratio = software && !fine ? (plain > 1 ? 0.6 : 0.8) : Math.min(window.devicePixelRatio || 1, 2);
  const w = Math.max(1, Math.round(sky.clientWidth * ratio)), h = Math.max(1, Math.round(sky.clientHeight * ratio));
  if (sky.width !== w || sky.height !== h) { sky.width = w; sky.height = h; }
}

function spots(w, h, size, light, soft, every) {
  const { at } = sprites, sides = shot.sides;
  gl.useProgram(sprites.p);
  gl.uniformMatrix3fv(at.turned, false, turned());
  // A narrow picture is as wide as the scene.
  gl.uniform3f(at.scale, Math.min(1, w / h) / scene.reach, w / h, h);
  gl.uniform1f(at.zoom, eye.zoom);
  gl.uniform1f(at.dark, $('dark').checked ? 0.4 : 0);
  gl.uniform1f(at.size, size * h / 900);
  gl.uniform1f(at.light, light);
  gl.uniform1f(at.soft, soft);
  gl.bindBuffer(gl.ARRAY_BUFFER, sprites.looks);
  gl.vertexAttribPointer(sprites.look, 1, gl.UNSIGNED_BYTE, false, every, 0);
  gl.bindBuffer(gl.ARRAY_BUFFER, sprites.places);
  for (let side = 0; side < sides; ++side) {
    gl.viewport(side * w, 0, w, h);
    gl.vertexAttribPointer(sprites.place, 3, gl.FLOAT, false, 12 * every, side * shot.n * 12);
    gl.drawArrays(gl.POINTS, 0, Math.floor((shot.n - 1) / every) + 1);
  }
}

function glow(w, h) {
  if (laid.w !== w || laid.h !== h) {
    laid.w = w; laid.h = h;
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, w, h, 0, gl.RGBA, gl.UNSIGNED_BYTE, null);
    gl.bindFramebuffer(gl.FRAMEBUFFER, laid.frame);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, laid.texture, 0);
  }
  gl.bindFramebuffer(gl.FRAMEBUFFER, laid.frame);
  gl.clearColor(0, 0, 0, 1);
  gl.clear(gl.COLOR_BUFFER_BIT);
  // Of more bodies only some glow: light of less than a few steps of the eight bits would lose its colour.
  const every = Math.min(20, Math.max(1, Math.round(lit / 1200)));
  spots(Math.floor(w / shot.sides), h, 72, Math.min(0.1, Math.max(0.01, 26 * every / Math.max(lit, 1))), 1, every);
  gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  lay(laid.p);
}

// The texture, over all of the canvas.
function lay(p) {
  gl.viewport(0, 0, sky.width, sky.height);
  gl.useProgram(p);
  gl.bindBuffer(gl.ARRAY_BUFFER, laid.corners);
  gl.vertexAttribPointer(laid.corner, 2, gl.FLOAT, false, 0, 0);
  gl.disable(gl.BLEND);  // in place of clearing
  gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
  gl.enable(gl.BLEND);
}

// Where a processor draws, points by WebGL cost it more than all else but showing the picture: it sets spots of two by two
// pixels itself, and WebGL lays them over the canvas.
const shades = [[255, 143, 66], [76, 148, 255], [255, 212, 148], [128, 97, 184], [255, 230, 178], [191, 204, 230]];  // by look
let image = null;

function set(w, h, wide, left, x, y, light, shade) {
  const across = x | 0, down = y | 0;
  if (x < 0 || y < 0 || across >= wide - 1 || down >= h - 1) return;
  const fx = x - across, fy = y - down, data = image.data;
  for (let k = 0; k < 4; ++k) {
    const at = 4 * ((down + (k >> 1)) * w + left + across + (k & 1)), part = light * (k & 1 ? fx : 1 - fx) * (k & 2 ? fy : 1 - fy);
    data[at] += part * shade[0];
    data[at + 1] += part * shade[1];
    data[at + 2] += part * shade[2];
  }
}

function draw_own() {
  const w = sky.width, h = sky.height;
  if (!image || image.width !== w || image.height !== h) image = new ImageData(w, h);
  new Uint32Array(image.data.buffer).fill(0xff090403);
  const m = turned(), wide = Math.floor(w / shot.sides), by = Math.min(1, wide / h) / scene.reach * eye.zoom, all = shot.places;
  const light = Math.min(1.6, Math.max(0.12, 1.2 * Math.sqrt(6000 / Math.max(lit, 1)))), dark = $('dark').checked ? 0.2 : 0;
  for (let i = 0, k = 0; i < shot.n * shot.sides; ++i, k += 3) {
    const side = i >= shot.n ? 1 : 0, look = kinds[i - side * shot.n];
    if (look === 3 && dark === 0) continue;
    const x = by * all[k], y = by * all[k + 1], z = by * all[k + 2];
    const depth = 4 - (m[2] * x + m[5] * y + m[8] * z);
    if (depth <= 0.1) continue;
    const near = 2 * h / depth, across = wide / 2 + near * (m[0] * x + m[3] * y + m[6] * z), down = h / 2 + near * (m[1] * x + m[4] * y + m[7] * z);
    if (look !== 4) {
      set(w, h, wide, side * wide, across, down, look === 3 ? dark : light, shades[look]);
    } else {
      for (let part = 0; part < 9; ++part) set(w, h, wide, side * wide, across + part % 3 - 1, down + Math.floor(part / 3) - 1, 1, shades[4]);
    }
  }
  gl.bindTexture(gl.TEXTURE_2D, laid.own);
  gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, w, h, 0, gl.RGBA, gl.UNSIGNED_BYTE, image.data);
  lay(laid.as_it_is);
  gl.bindTexture(gl.TEXTURE_2D, laid.texture);
}

function draw() {
  if (!gl || !shot || !scene || !kinds || kinds.length !== shot.n) return false;
  resize();
  if (plain === 2 && !fine) {
    draw_own();
    return true;
  }
  if (fresh) upload();
  if (plain > 0 && !fine) {
    gl.clearColor(0.012, 0.016, 0.035, 1);
    gl.clear(gl.COLOR_BUFFER_BIT);
  } else glow(Math.ceil(sky.width / glow_shrunk), Math.ceil(sky.height / glow_shrunk));
  const few = Math.sqrt(6000 / Math.max(lit, 1));
  spots(Math.floor(sky.width / shot.sides), sky.height, Math.min(9, Math.max(2.2, 4.6 * few)), Math.min(1, Math.max(0.05, 0.5 * few)), 0, 1);
  return true;
}

// A still picture is drawn once more at full quality.
let fine = false, drawn_at = 0;

// Where a processor cannot draw fifty pictures a second, it gets plainer ones: without the glow, then those of its own.
let plain = 0, slow = 0, drawn_before = 0;
function simplify(fps) {
  const drawn = Number(page.drawn || 0), each = drawn - drawn_before;
  drawn_before = drawn;
  slow = software && document.visibilityState === 'visible' && fps < 50 && each > 0.6 * fps ? slow + 1 : 0;
  if (slow < 3 || plain === 2) return;
  ++plain;
  slow = 0;
  dirty = true;
}

let frames = 0, window_start = performance.now(), last_tick = window_start;
function tick(now) {
  requestAnimationFrame(tick);
  if ($('spin').checked) { eye.yaw += (now - last_tick) * 0.006; dirty = true; }
  last_tick = now;
  ++frames;
  if (now - window_start >= 1000) {
    const fps = frames * 1000 / (now - window_start);
    $('fps').textContent = page.fps = fps.toFixed(0);
    simplify(fps);
    frames = 0;
    window_start = now;
  }
  const still = gl && !dirty && !fine && now - drawn_at > 400;
  if (!dirty && !still) return;
  fine = still;
  page.fine = fine ? 'yes' : 'no';
  dirty = false;
  drawn_at = now;
  if (draw()) {
    page.drawn = Number(page.drawn || 0) + 1;
    if (shot.owed) { shot.owed = false; send('drawn'); }
  }
}
requestAnimationFrame(tick);
addEventListener('resize', () => { dirty = true; plots(); });

// ---- the socket -------------------------------------------------------------------------------------------------------

let socket = null, wait = 250, ever = false;
function send(message) {
  if (socket && socket.readyState === WebSocket.OPEN) socket.send(typeof message === 'string' ? message : JSON.stringify(message));
}

function connect() {
  const url = new URL('live', location.href);
  url.protocol = 'ws:';
  socket = new WebSocket(url);
  socket.binaryType = 'arraybuffer';
  socket.onopen = () => {
    wait = 250;
    $('lost').hidden = true;
    page.connected = 'yes';
    if (ever) say('Connected again.');
    ever = true;
  };
  socket.onmessage = (e) => typeof e.data === 'string' ? hear(JSON.parse(e.data)) : see(e.data);
  socket.onclose = () => {
    page.connected = 'no';
    $('lost').hidden = false;
    $('lost-why').textContent = ever ? 'upsweep has ended, or does not answer; trying again…' : 'upsweep does not answer; trying again…';
    setTimeout(connect, wait);
    wait = Math.min(wait * 1.5, 3000);
  };
}

function see(buffer) {
  const [kind, generation, sides, n] = new Uint32Array(buffer, 0, 4);
  if (kind === 2) { takeLooks(new Uint8Array(buffer, 16, n)); dirty = true; return; }
  const times = new Float64Array(buffer, 16, 2 * sides);
  shot = { sides, n, generation, places: new Float32Array(buffer, 16 + 16 * sides, 3 * n * sides), owed: true };
  fresh = true;
  page.step = times[1];
  $('time').textContent = short(times[0]);
  $('steps').textContent = sides > 1 && times[1] !== times[3] ? `${times[1]} · ${times[3]}` : times[1];
  dirty = true;
  // A page that is not drawn must not hold the next picture up.
  if (document.visibilityState !== 'visible' || !gl) { shot.owed = false; send('drawn'); }
}

let said_timer = 0;
function say(text) {
  $('said').textContent = text;
  $('said').hidden = false;
  clearTimeout(said_timer);
  said_timer = setTimeout(() => { $('said').hidden = true; }, 6000);
}

function hear(m) {
  if (m.kind === 'said') return say(m.text);
  if (m.kind === 'facts') return facts(m);
  const fresh = !scene || scene.generation !== m.generation, other = !scene || scene.scene !== m.scene;
  scene = m;
  if (other) { eye.zoom = 1; eye.yaw = 0; eye.pitch = m.flat ? 90 : 60; }
  if (fresh) history = [];
  $('title').textContent = m.scene;
  $('subtitle').textContent = `${m.bodies.toLocaleString('en')} bodies${m.shown < m.bodies ? `, ${m.shown.toLocaleString('en')} of them shown` : ''} · ${m.settings} · ${m.devices.join(' beside ')}`;
  controls(m);
  dirty = true;
}

// ---- controls ---------------------------------------------------------------------------------------------------------

// The slider's middle half is a scale of powers; its end is "all that can be made".
const speed_of = (v) => v >= 100 ? 0 : Math.pow(10, v / 20);
const place_of = (speed) => speed === 0 ? 100 : Math.min(99, Math.max(0, Math.round(20 * Math.log10(speed))));

function controls(m) {
  const list = $('scene');
  if (list.options.length === 0)
    for (const s of m.scenes) list.add(new Option(s.name, s.name));
  if (![...list.options].some((o) => o.value === m.scene)) list.add(new Option(m.scene, m.scene));
  const held = document.activeElement;
  const set = (id, value) => { if ($(id) !== held) $(id).value = value; };
  set('scene', m.scene);
  set('bodies', m.bodies);
  set('seed', m.seed);
  set('theta', m.theta);
  set('method', m.method);
  set('speed', place_of(m.speed));
  $('theta-text').textContent = m.theta;
  $('speed-text').textContent = m.speed === 0 ? 'all it can' : `${short(m.speed)} steps/s`;
  $('bodies').disabled = (m.scenes.find((s) => s.name === m.scene) || {}).fixed !== false;
  $('pause').textContent = m.paused ? 'go on' : 'pause';
  $('race-row').hidden = $('difference-row').hidden = m.devices.length < 2;
  $('race').checked = m.race;
  $('labels').replaceChildren(...(m.devices.length < 2 ? [] : m.devices.map((name, k) => {
    const s = document.createElement('span');
    s.style.left = `calc(${50 * k}% + 22px)`;
    s.textContent = name;
    return s;
  })));
}

const order = (what, value) => send(value === undefined ? { do: what } : { do: what, value });
const fresh_scene = () => {
  const name = $('scene').value, s = scene.scenes.find((x) => x.name === name);
  const changed = name !== scene.scene;
  send({ do: 'scene', scene: name, bodies: s && s.fixed || changed ? 0 : Number($('bodies').value), seed: Number($('seed').value) });
};
$('pause').onclick = () => order(scene && scene.paused ? 'go' : 'pause');
$('step').onclick = () => order('step');
$('restart').onclick = () => order('restart');
$('speed').oninput = () => order('speed', speed_of(Number($('speed').value)));
$('theta').onchange = () => order('theta', Number($('theta').value));
$('theta').oninput = () => { $('theta-text').textContent = $('theta').value; };
$('method').onchange = () => order('method', $('method').value);
$('race').onchange = () => order('race', $('race').checked);
$('dark').onchange = () => { dirty = true; };
for (const id of ['scene', 'bodies', 'seed']) $(id).onchange = () => { fresh_scene(); $(id).blur(); };
$('fold').onclick = () => { document.body.classList.toggle('folded'); dirty = true; };
addEventListener('keydown', (e) => {
  if (/^(INPUT|SELECT|BUTTON)$/.test(e.target.tagName)) return;
  const act = { ' ': 'pause', '.': 'step', r: 'restart', h: 'fold' }[e.key];
  if (act) { e.preventDefault(); $(act).click(); }
});

// One finger or the mouse turns; two fingers or the wheel zoom.
const fingers = new Map();
sky.addEventListener('pointerdown', (e) => { fingers.set(e.pointerId, e); sky.setPointerCapture(e.pointerId); sky.classList.add('held'); });
for (const end of ['pointerup', 'pointercancel'])
  sky.addEventListener(end, (e) => { fingers.delete(e.pointerId); if (!fingers.size) sky.classList.remove('held'); });
sky.addEventListener('pointermove', (e) => {
  const before = fingers.get(e.pointerId);
  if (!before) return;
  if (fingers.size === 1) {
    eye.yaw += (e.clientX - before.clientX) * 0.35;
    eye.pitch = Math.min(180, Math.max(0, eye.pitch + (e.clientY - before.clientY) * 0.35));
  } else {
    const other = [...fingers.values()].find((f) => f.pointerId !== e.pointerId);
    const far = (a) => Math.hypot(a.clientX - other.clientX, a.clientY - other.clientY);
    zoom(far(e) / Math.max(far(before), 1));
  }
  fingers.set(e.pointerId, e);
  dirty = true;
});
function zoom(by) {
  eye.zoom = Math.min(100, Math.max(0.02, eye.zoom * by));
  page.zoom = eye.zoom;
  dirty = true;
}
sky.addEventListener('wheel', (e) => { e.preventDefault(); zoom(Math.exp(-e.deltaY * (e.deltaMode ? 0.03 : 0.0012))); }, { passive: false });
sky.addEventListener('dblclick', () => { eye.yaw = 0; eye.pitch = scene && scene.flat ? 90 : 60; zoom(1 / eye.zoom); });

// ---- plots ------------------------------------------------------------------------------------------------------------

let history = [];
const short = (v) => Math.abs(v) >= 1e5 || (v !== 0 && Math.abs(v) < 1e-2) ? v.toExponential(1) : Number(v.toPrecision(4)).toString();

function facts(m) {
  if (!scene || m.generation !== scene.generation) return;
  if (m.paused !== scene.paused) { scene.paused = m.paused; $('pause').textContent = m.paused ? 'go on' : 'pause'; }
  const last = history[history.length - 1];
  if (!last || m.sides.some((s, k) => s.step !== last.sides[k].step)) {
    history.push(m);
    if (history.length > 600) history = history.filter((_, k) => k % 2 === 0);
  }
  const both = (of) => m.sides.map(of).join(' · ');
  $('energy-text').textContent = both((s) => s.energy.toExponential(1));
  $('rate-text').textContent = both((s) => short(s.rate));
  $('momentum').textContent = both((s) => s.momentum.toExponential(1));
  $('angular').textContent = both((s) => s.angular.toExponential(1));
  if (m.difference) $('difference-text').textContent = `${m.difference.rms.toExponential(1)}, at most ${m.difference.most.toExponential(1)}`;
  m.sides.forEach((s, k) => {
    const label = $('labels').children[k];
    if (label) label.textContent = `${scene.devices[k]} · ${short(s.rate)} steps/s · t = ${short(s.time)}`;
  });
  page.rate = m.sides[0].rate;
  plots();
}

function plots() {
  plot('energy', (m) => m.sides.map((s) => Math.abs(s.energy)), true);
  plot('rate', (m) => m.sides.map((s) => s.rate), false);
  if (!$('difference-row').hidden) plot('difference', (m) => m.difference ? [m.difference.rms, m.difference.most] : [], true);
}

// A line for each side; a logarithmic scale of whole decades, or a linear one from 0.
function plot(id, of, logarithmic) {
  const c = $(id), ratio = window.devicePixelRatio || 1, w = c.clientWidth, h = c.clientHeight;
  if (!w) return;
  if (c.width !== Math.round(w * ratio)) { c.width = Math.round(w * ratio); c.height = Math.round(h * ratio); }
  const to = c.getContext('2d');
  to.setTransform(ratio, 0, 0, ratio, 0, 0);
  to.clearRect(0, 0, w, h);
  const rows = history.map(of), all = rows.flat().filter((v) => Number.isFinite(v) && (!logarithmic || v > 0));
  if (all.length === 0) return;
  const scale = logarithmic ? Math.log10 : (v) => v;
  let low = logarithmic ? Math.floor(scale(Math.min(...all))) : 0, high = logarithmic ? Math.ceil(scale(Math.max(...all))) : Math.max(...all) * 1.15;
  if (logarithmic) low = Math.max(low, high - 12);
  if (!(high > low)) high = low + 1;
  const x = (k) => 4 + (w - 8) * (rows.length < 2 ? 0 : k / (rows.length - 1)), y = (v) => h - 5 - (h - 10) * (Math.max(scale(v), low) - low) / (high - low);
  to.font = '9.5px system-ui, "DejaVu Sans", sans-serif';
  to.strokeStyle = '#232c3f';
  to.fillStyle = '#76839c';
  to.lineWidth = 1;
  const ticks = logarithmic ? [low, high] : [high / 1.15];
  for (const t of ticks) {
    const at = y(logarithmic ? Math.pow(10, t) : t);
    to.beginPath(); to.moveTo(0, at); to.lineTo(w, at); to.stroke();
    to.fillText(logarithmic ? `1e${t}` : short(t), 4, at < h / 2 ? at + 9 : at - 2);
  }
  ['#f2a65a', '#62b0f5'].forEach((colour, side) => {
    to.strokeStyle = colour;
    to.lineWidth = 1.4;
    to.beginPath();
    let on = false;
    rows.forEach((row, k) => {
      const v = row[side];
      if (!Number.isFinite(v) || (logarithmic && !(v > 0))) { on = false; return; }
      if (on) to.lineTo(x(k), y(v)); else to.moveTo(x(k), y(v));
      on = true;
    });
    to.stroke();
  });
}

connect();
