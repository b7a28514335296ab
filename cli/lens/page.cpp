#include "cli/lens/page.hpp"

#include <fmt/core.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/lens/text.hpp"
#include "cli/report/html.hpp"

using nlohmann::json;
namespace lens = upsweep::lens;

namespace {

// Blocks beyond these are counted and not drawn.
constexpr std::uint32_t blocks_drawn = 4;

// What all warps do at one place in one step is one frame.
json frames_of(const lens::report& r) {
  struct frame {
    const lens::recorded* first;
    json events = json::array();
  };
  std::vector<frame> frames;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint16_t, unsigned>, std::size_t> known;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint16_t, std::uint32_t, std::uint32_t>, unsigned> visits;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::size_t>> order;  // frames of a launch and phase
  for (const lens::recorded& s : r.steps) {
    const unsigned visit = visits[{s.launch, s.phase, s.site, s.block, s.warp}]++;
    const auto [at, fresh] = known.try_emplace({s.launch, s.phase, s.site, visit}, frames.size());
    if (fresh) {
      frames.push_back({&s});
      order[{s.launch, s.phase}].push_back(at->second);
    }
    json e{{"b", s.block}, {"w", s.warp}, {"m", s.mask}};
    if (s.memory >= 0) e["a"] = s.memory, e["i"] = s.elements, e["v"] = s.values;
    if (s.wavefronts > 0) e["f"] = s.wavefronts;
    if (s.sectors > 0) e["s"] = s.sectors;
    frames[at->second].events.push_back(std::move(e));
  }
  json all = json::array();
  for (const auto& [step, members] : order)
    for (const std::size_t i : members) {
      const lens::place& p = r.places[frames[i].first->site];
      all.push_back({{"l", step.first},
                     {"p", step.second},
                     {"k", name_of(frames[i].first->what)},
                     {"file", p.file},
                     {"line", p.line},
                     {"e", std::move(frames[i].events)}});
    }
  return all;
}

// The sources the steps come from, where they can still be read.
json sources_of(const lens::report& r) {
  json all = json::object();
  std::set<std::uint16_t> used;
  for (const lens::recorded& s : r.steps) used.insert(s.site);
  for (const std::uint16_t site : used) {
    const lens::place& p = r.places[site];
    if (p.line == 0 || all.contains(p.file)) continue;
    std::ifstream in(p.path);
    json lines = json::array();
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    if (!lines.empty()) all[p.file] = lines;
  }
  return all;
}

// "</script>" within the data would end the script.
std::string safe(std::string text) {
  for (std::size_t at = 0; (at = text.find("</", at)) != std::string::npos; at += 3) text.replace(at, 2, "<\\/");
  return text;
}

constexpr const char* style = R"css(
:root{color-scheme:light dark;--ground:#fcfcfa;--panel:#fff;--ink:#1d2125;--soft:#5c646b;--line:#c9cdd0;--faint:#eef0f0;--read:#0072b2;--write:#c04a00;--on:#00795a;--bad:#c4260a;--op:#a4508b}
@media (prefers-color-scheme:dark){:root{--ground:#14171a;--panel:#1b1f23;--ink:#e6e8ea;--soft:#a2abb3;--line:#454d54;--faint:#23282d;--read:#56b4e9;--write:#f0a04b;--on:#2fc79b;--bad:#ff6a4d;--op:#e09ac8}}
*{box-sizing:border-box}body{margin:0;background:var(--ground);color:var(--ink);font:15px/1.45 system-ui,"Segoe UI",Roboto,"Liberation Sans",sans-serif}
main{max-width:1360px;margin:0 auto;padding:18px 18px 48px}h1{font-size:1.4rem;margin:0}p{margin:.25em 0}.soft{color:var(--soft)}
#bar{position:sticky;top:0;background:var(--ground);padding:8px 0 6px;z-index:2;border-bottom:1px solid var(--line)}
#controls{display:flex;gap:8px;align-items:center;flex-wrap:wrap}button,select{font:inherit;color:var(--ink);background:var(--panel);border:1px solid var(--line);border-radius:6px;padding:3px 11px;cursor:pointer}
button:focus-visible,input:focus-visible,select:focus-visible{outline:2px solid var(--read);outline-offset:1px}
#strip{display:block;width:100%;height:44px;margin-top:6px;cursor:pointer}input[type=range]{width:100%;margin:2px 0 0;accent-color:var(--read)}
#now{min-height:3.1em;margin-top:4px}#now b{font-weight:650}.bad{color:var(--bad);font-weight:650}.rd{color:var(--read)}.wr{color:var(--write)}.on{color:var(--on)}.op{color:var(--op)}
#both{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,430px);gap:18px;margin-top:12px}@media(max-width:1120px){#both{grid-template-columns:1fr}}
#picture{display:block;width:100%}#source{background:var(--panel);border:1px solid var(--line);border-radius:6px;padding:8px 0;overflow:auto;max-height:70vh;font:12.5px/1.5 ui-monospace,"DejaVu Sans Mono",Menlo,monospace;position:sticky;top:150px}
#source div{white-space:pre;padding:0 10px;width:max-content;min-width:100%}#source div.hot{background:color-mix(in srgb,var(--read) 22%,transparent)}#source i{color:var(--soft);font-style:normal;display:inline-block;width:2.6em;user-select:none}
kbd{border:1px solid var(--line);border-radius:4px;padding:0 5px;font-size:.85em;background:var(--panel)}
)css";

constexpr const char* script = R"js(
const $=id=>document.getElementById(id),F=D.frames,css=n=>getComputedStyle(document.documentElement).getPropertyValue(n).trim();
let at=0,playing=null;
const isLoad=k=>k.endsWith('load'),isStore=k=>k.endsWith('store')||k.endsWith('atomic'),isShared=k=>k.startsWith('shared');
const perRow=m=>m.shared?Math.max(1,128/m.element):32;
const bits=m=>{const r=[];for(let i=0;i<32;i++)if(m>>>i&1)r.push(i);return r};
const words=(e,m)=>{ // distinct words by bank, for the group of lanes that has most
  const lanes=bits(e.m),together=m.element<=4?32:m.element<=8?16:8;let best=null;
  for(let g=0;g<32;g+=together){const bank=Array.from({length:32},()=>new Set());let any=false;
    lanes.forEach((l,k)=>{if(l<g||l>=g+together)return;any=true;for(let b=0;b<m.element;b+=4){const w=Math.floor((e.i[k]*m.element+b)/4);bank[w%32].add(w)}});
    if(!any)continue;const n=bank.map(s=>s.size),d=Math.max(...n);if(!best||d>best.degree)best={n,degree:d}}
  return best};
F.forEach(f=>{f.lanes=0;f.degree=0;f.e.forEach(e=>{f.lanes+=bits(e.m).length;
  if(isShared(f.k)&&e.a!==undefined){const w=words(e,D.memories[e.a]);if(w&&w.degree>f.degree){f.degree=w.degree;f.worst=e;f.banks=w.n}}});
  f.full=f.e.length*Math.min(32,D.launches[f.l-1].threads)});
let stepNo=0,last='';F.forEach(f=>{const k=f.l+'/'+f.p;if(k!==last){stepNo++;last=k}f.step=stepNo});
function valuesAt(n){const v=D.memories.map(m=>new Array(m.elements).fill(null));
  for(let k=0;k<=n;k++)F[k].e.forEach(e=>{if(e.a===undefined)return;const first=isLoad(F[k].k);e.i.forEach((x,j)=>{if(!first||v[e.a][x]===null)v[e.a][x]=e.v[j]})});return v}
const num=x=>x===null?'':Number.isInteger(x)?(Math.abs(x)<1e5?String(x):x.toExponential(1)):Math.abs(x)<1e4?x.toFixed(x<10?2:1):x.toExponential(1);
function draw(){
  const f=F[at],values=valuesAt(at),c=$('picture'),W=c.parentElement.clientWidth,cell=Math.max(9,Math.min(30,(W-112)/33)),h=Math.min(22,Math.max(13,cell*.8)),left=104;
  const shown=D.memories.map((m,i)=>({m,i})).filter(o=>!o.m.shared||(o.m.launch===f.l&&o.m.block<D.drawn)).sort((a,b)=>b.m.shared-a.m.shared||a.m.block-b.m.block||a.i-b.i);
  const threads=D.launches[f.l-1].threads,blocks=Math.min(D.launches[f.l-1].blocks,D.drawn),warps=Math.ceil(threads/32);
  let y=6;
  const T=[];y+=18;for(let b=0;b<blocks;b++)for(let w=0;w<warps;w++){T.push({b,w,y});y+=h+3;if(w===warps-1)y+=6}
  y+=26;
  for(const o of shown){o.y=y;const per=perRow(o.m),rows=Math.ceil(o.m.elements/per);o.top=y+18+(o.m.shared?16:0);y=o.top+rows*(h+3)+24;o.per=per;o.w=cell*32/per}
  const H=y,dpr=window.devicePixelRatio||1;c.width=W*dpr;c.height=H*dpr;c.style.height=H+'px';
  const g=c.getContext('2d');g.scale(dpr,dpr);g.clearRect(0,0,W,H);
  const ink=css('--ink'),soft=css('--soft'),line=css('--line'),faint=css('--faint'),panel=css('--panel'),read=css('--read'),write=css('--write'),on=css('--on'),bad=css('--bad'),op=css('--op');
  const font=s=>g.font=s+'px system-ui,"Liberation Sans",sans-serif';
  const x0=i=>left+i*cell;
  const active={};f.e.forEach(e=>active[e.b+'/'+e.w]=e.m);
  const colour=isLoad(f.k)?read:isStore(f.k)?write:f.k==='apply'?op:on;
  g.textBaseline='middle';font(12.5);g.fillStyle=ink;g.textAlign='left';g.fillText('Threads: coloured are the lanes that take part',left,14);
  for(const t of T){font(11);g.fillStyle=soft;g.textAlign='right';g.fillText((blocks>1?'block '+t.b+' ':'')+'warp '+t.w,left-8,t.y+h/2);
    const m=active[t.b+'/'+t.w]||0;
    for(let i=0;i<32&&t.w*32+i<threads;i++){const act=m>>>i&1;g.fillStyle=act?colour:faint;g.fillRect(x0(i)+1,t.y,cell-2,h);
      if(cell>20){font(9.5);g.textAlign='center';g.fillStyle=act?panel:soft;g.fillText(t.w*32+i,x0(i)+cell/2,t.y+h/2)}}
    t.pos=i=>[x0(i)+cell/2,t.y+h]}
  const hit={};f.e.forEach(e=>{if(e.a!==undefined)e.i.forEach(x=>hit[e.a+'/'+x]=1)});
  for(const o of shown){font(12.5);g.fillStyle=ink;g.textAlign='left';
    g.fillText(o.m.name+(o.m.shared?' · shared memory of block '+o.m.block+', a column a bank':' · global memory, a gap a sector of 32 bytes'),left,o.y+8);
    const hot=f.worst&&f.worst.a===o.i?f.banks:null;
    if(o.m.shared){for(let b=0;b<32;b++){const n=hot?hot[b]:0;font(9.5);g.textAlign='center';
      if(n>1){g.fillStyle=bad;g.fillRect(x0(b)+1,o.y+18,cell-2,13);g.fillStyle=panel;g.fillText('×'+n,x0(b)+cell/2,o.y+25)}
      else{g.fillStyle=n?on:soft;g.fillText(cell>14?b:'',x0(b)+cell/2,o.y+25)}}}
    const inSector=32/o.m.element;
    for(let i=0;i<o.m.elements;i++){const r=Math.floor(i/o.per),k=i%o.per,x=left+k*o.w,yy=o.top+r*(h+3),h1=hit[o.i+'/'+i],gap=!o.m.shared&&(k+1)%inSector===0?3:1;
      const clash=hot&&h1&&hot[Math.floor(i*o.m.element/4)%32]>1;
      g.fillStyle=h1?(clash?bad:colour):faint;g.fillRect(x+1,yy,o.w-1-gap,h);
      if(o.w>17){font(o.w>24?10.5:9);g.textAlign='center';g.fillStyle=h1?panel:ink;g.fillText(num(values[o.i][i]),x+o.w/2-.5,yy+h/2,o.w-3)}}
    o.pos=i=>[left+(i%o.per)*o.w+o.w/2,o.top+Math.floor(i/o.per)*(h+3)]}
  // Arrows: all lanes of the worst warp strongly, the others faintly.
  const lead=f.worst||f.e[0];
  for(const e of f.e){if(e.a===undefined||e.b>=D.drawn)continue;const t=T.find(t=>t.b===e.b&&t.w===e.w),o=shown.find(o=>o.i===e.a);if(!t||!o)continue;
    const strong=e===lead;g.globalAlpha=strong?.85:f.e.length>1?.16:.85;g.lineWidth=strong?1.3:1;
    const w=isShared(f.k)&&strong?words(e,o.m):null;
    bits(e.m).forEach((l,k)=>{const [ax,ay]=t.pos(l),[bx,by]=o.pos(e.i[k]);const clash=w&&w.n[Math.floor(e.i[k]*o.m.element/4)%32]>1;
      g.strokeStyle=g.fillStyle=clash?bad:colour;g.beginPath();g.moveTo(ax,ay);g.bezierCurveTo(ax,ay+26,bx,by-26,bx,by);g.stroke();
      if(strong){const tip=isLoad(f.k)?[ax,ay,1]:[bx,by,-1];g.beginPath();g.moveTo(tip[0],tip[1]);g.lineTo(tip[0]-3,tip[1]+5*tip[2]);g.lineTo(tip[0]+3,tip[1]+5*tip[2]);g.fill()}})}
  g.globalAlpha=1;
  say(f);source(f);strip();$('scrub').value=at;
}
function say(f){const cls=isLoad(f.k)?'rd':isStore(f.k)?'wr':f.k==='apply'?'op':'on',L=D.launches[f.l-1];
  let t='<b>Launch '+f.l+' of '+D.launches.length+', step '+f.step+'</b> ('+L.blocks+' × '+L.threads+' threads): <b class="'+cls+'">'+f.k+'</b> at '+f.file+':'+f.line+', by '+f.lanes+' thread'+(f.lanes>1?'s':'')+' of '+f.e.length+' warp'+(f.e.length>1?'s':'')+'. ';
  const idle=f.full-f.lanes;t+=idle>0?'<span class="bad">'+idle+' lane'+(idle>1?'s':'')+' of these warps do nothing.</span> ':'All their lanes work. ';
  if(f.degree>1)t+='<span class="bad">Bank conflict of degree '+f.degree+'</span>: warp '+f.worst.w+' wants '+f.degree+' different words of one bank, and takes '+f.worst.f+' wavefronts. ';
  else if(f.degree===1)t+='<span class="on">No bank conflict.</span> ';
  const s=f.e.reduce((n,e)=>n+(e.s||0),0);if(s){const el=D.memories[f.e[0].a].element,ideal=f.e.reduce((n,e)=>n+Math.ceil(new Set(e.i).size*el/32),0);t+=s+' sectors of 32 bytes'+(s>ideal?', <span class="bad">where '+ideal+' would do</span>. ':', as few as can be. ')}
  $('now').innerHTML=t}
let shownFile='';
function source(f){const box=$('source'),lines=D.sources[f.file];if(!lines){box.style.display='none';return}box.style.display='';
  if(shownFile!==f.file){shownFile=f.file;box.textContent='';lines.forEach((l,i)=>{const d=document.createElement('div'),n=document.createElement('i');n.textContent=i+1;d.append(n,l);box.append(d)})}
  box.querySelectorAll('.hot').forEach(d=>d.classList.remove('hot'));const d=box.children[f.line-1];if(d){d.classList.add('hot');box.scrollTop=d.offsetTop-box.offsetTop-box.clientHeight/2}}
function strip(){const c=$('strip'),W=c.clientWidth,H=44,dpr=window.devicePixelRatio||1;c.width=W*dpr;c.height=H*dpr;const g=c.getContext('2d');g.scale(dpr,dpr);
  const w=W/F.length,soft=css('--soft'),bad=css('--bad'),on=css('--on'),line=css('--line');
  F.forEach((f,i)=>{const x=i*w,share=f.lanes/f.full;g.fillStyle=line;g.fillRect(x,22-20,Math.max(.6,w-.6),20);g.fillStyle=on;g.fillRect(x,22-20*share,Math.max(.6,w-.6),20*share);
    if(f.degree>0){const d=Math.log2(f.degree)/5;g.fillStyle=f.degree>1?bad:line;g.fillRect(x,24,Math.max(.6,w-.6),f.degree>1?4+16*d:1.5)}
    if(i&&F[i].step!==F[i-1].step){g.fillStyle=soft;g.globalAlpha=.35;g.fillRect(x-.3,0,.6,H);g.globalAlpha=1}});
  g.strokeStyle=css('--ink');g.lineWidth=2;g.strokeRect(at*w,1,Math.max(3,w),H-2)}
function go(n){at=Math.max(0,Math.min(F.length-1,n));draw()}
function step(d){const s=F[at].step+d;let n=F.findIndex(f=>f.step===s);go(n<0?(d<0?0:F.length-1):n)}
function play(on){clearInterval(playing);playing=null;if(on){if(at===F.length-1)at=0;playing=setInterval(()=>{if(at>=F.length-1)play(false);else go(at+1)},+$('speed').value)}$('play').textContent=playing?'Pause':'Play';$('play').setAttribute('aria-pressed',!!playing)}
$('scrub').max=F.length-1;$('scrub').oninput=e=>{play(false);go(+e.target.value)};
$('back').onclick=()=>{play(false);go(at-1)};$('next').onclick=()=>{play(false);go(at+1)};$('play').onclick=()=>play(!playing);$('speed').onchange=()=>playing&&play(true);
$('strip').onclick=e=>{play(false);go(Math.floor(e.offsetX/$('strip').clientWidth*F.length))};
document.addEventListener('keydown',e=>{if(e.target.tagName==='SELECT')return;const k={' ':()=>play(!playing),ArrowRight:()=>{play(false);go(at+1)},ArrowLeft:()=>{play(false);go(at-1)},ArrowDown:()=>{play(false);step(1)},ArrowUp:()=>{play(false);step(-1)},Home:()=>go(0),End:()=>go(F.length-1)}[e.key];if(k){e.preventDefault();k()}});
addEventListener('resize',draw);matchMedia('(prefers-color-scheme:dark)').addEventListener('change',draw);
const m=location.hash.match(/^#(\d+)$/);at=m?Math.min(F.length-1,+m[1]-1):0;draw();
)js";

}  // namespace

std::string lens_page(const lens::report& r) {
  json data;
  data["drawn"] = blocks_drawn;
  for (const lens::recorded_memory& m : r.step_memories)
    data["memories"].push_back({{"name", m.name},
                                {"shared", m.shared},
                                {"block", m.block},
                                {"launch", m.launch},
                                {"elements", m.elements},
                                {"element", m.element}});
  for (const lens::launch_record& l : r.launches)
    data["launches"].push_back({{"blocks", l.blocks}, {"threads", l.threads}});
  data["frames"] = frames_of(r);
  data["sources"] = sources_of(r);
  const std::string name = report::html_escape(r.what->name);
  return "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
         "content=\"width=device-width, initial-scale=1\">\n<title>" +
         name + " under the lens</title>\n<style>" + style + "</style></head>\n<body><main>\n<h1>" + name +
         "</h1>\n<p>" + report::html_escape(r.what->teaches) + ".</p>\n<p class=\"soft\">" +
         report::html_escape(lens_text::what_ran(r)) +
         ". Above the line of time: the share of lanes at work; below it, in red: bank conflicts by degree.</p>\n"
         "<div id=\"bar\"><div id=\"controls\"><button id=\"back\" aria-label=\"One back\">◀</button><button "
         "id=\"play\">Play</button>"
         "<button id=\"next\" aria-label=\"One on\">▶</button>"
         "<select id=\"speed\" aria-label=\"Speed\"><option value=\"1400\">slow</option><option value=\"700\" "
         "selected>steady</option><option value=\"220\">fast</option></select>"
         "<span class=\"soft\"><kbd>space</kbd> play, <kbd>←</kbd> <kbd>→</kbd> one instruction, <kbd>↑</kbd> "
         "<kbd>↓</kbd> one step, <kbd>Home</kbd> <kbd>End</kbd></span></div>"
         "<canvas id=\"strip\"></canvas><input id=\"scrub\" type=\"range\" min=\"0\" value=\"0\" aria-label=\"Where in "
         "the run\"><div id=\"now\" aria-live=\"polite\"></div></div>\n"
         "<div id=\"both\"><div><canvas id=\"picture\" role=\"img\" aria-label=\"Threads above, arrays below, arrows "
         "between those that meet in this instruction\"></canvas></div>"
         "<div><div id=\"source\"></div></div></div>\n</main>\n<script>\nconst D=" +
         safe(data.dump()) + ";\n" + script + "</script>\n</body></html>\n";
}
