// What Rutter calls.

let sent = { sequence: 0, order: [], json: new SafeMap() }; // what the last observation said
let elements = new SafeMap(); // key -> element, of the last observation

function focusedElement() {
  let active = documentActive(document);
  for (;;) {
    if (!active) return null;
    const root = shadowRoot(active);
    const inner = root ? shadowActive(root) : localName(active) === 'iframe' && frameDocument(active) ? documentActive(frameDocument(active)) : null;
    if (!inner) return active;
    active = inner;
  }
}

// The page as it is now, as JSON; only what differs from the observation `have`, where that was the last one sent.
function observe(have, limit) {
  const root = documentElement(document);
  walk = {
    document, frame: 0, offsetX: 0, offsetY: 0, count: 0, limit, truncated: false, order: [], elements: new SafeMap(),
    frames: ['{"url":' + quote(documentUrl(document)) + '}'], foreign: [], focused: focusedElement(),
  };
  const top = level(null, null, '', 0);
  top.clip = { left: 0, top: 0, right: window.innerWidth, bottom: window.innerHeight };
  if (root) walkElement(root, top);
  elements = walk.elements;
  const known = have === timeOrigin + ':' + sent.sequence ? sent : { order: [], json: new SafeMap() };
  const order = walk.order;
  let changed = '';
  const json = new SafeMap();
  for (let i = 0; i < order.length; i += 1) {
    const { key, parent, json: own } = order[i];
    const line = '[' + key + ',' + parent + ',' + own + ']';
    mapSet(json, key, line);
    if (mapGet(known.json, key) !== line) changed += (changed && ',') + line;
  }
  // The order as one splice of the order before: most actions change one place of a page.
  let head = 0;
  const before = known.order;
  while (head < before.length && head < order.length && before[head].key === order[head].key) head += 1;
  let tail = 0;
  while (tail < before.length - head && tail < order.length - head && before[before.length - 1 - tail].key === order[order.length - 1 - tail].key) tail += 1;
  let between = '';
  for (let i = head; i < order.length - tail; i += 1) between += (between && ',') + order[i].key;
  sent = { sequence: sent.sequence + 1, order, json };
  const description = documentQuery(document, 'meta[name=description]');
  const scroller = root || null;
  const reply = '"have":' + quote(timeOrigin + ':' + sent.sequence) + ',"fresh":' + (known !== sent && known.order === before && before.length === 0) +
    ',"url":' + quote(documentUrl(document)) + ',"title":' + quote(documentTitle(document)) +
    ',"description":' + quote((description && getAttribute(description, 'content')) || '') +
    ',"language":' + quote((root && getAttribute(root, 'lang')) || '') +
    ',"changed":[' + changed + '],"head":' + head + ',"tail":' + tail + ',"between":[' + between + ']' +
    ',"frames":[' + join(walk.frames) + '],"foreign":[' + join(walk.foreign) + ']' +
    ',"viewport":{"width":' + window.innerWidth + ',"height":' + window.innerHeight + ',"scroll_y":' + number(window.scrollY) +
    ',"scroll_height":' + (scroller ? scrollHeight(scroller) : 0) + '},"truncated":' + walk.truncated;
  walk = null;
  return reply;
}
const takeDownloads = () => {
  const taken = downloads;
  downloads = 0;
  return taken;
};
const join = (list) => {
  let text = '';
  for (let i = 0; i < list.length; i += 1) text += (i ? ',' : '') + list[i];
  return text;
};
const quoteAll = (list) => {
  let text = '';
  for (let i = 0; i < list.length; i += 1) text += (i ? ',' : '') + quote(list[i]);
  return text;
};

const KEY = Symbol.for('rutter.probe');

// The probes of the page's same-origin frames.
function innerProbes() {
  const found = [];
  const frames = elementsByTag(document, 'iframe');
  for (let i = 0; i < optionsLength(frames); i += 1) {
    const inner = frameWindow(optionsItem(frames, i));
    try {
      if (inner && inner[KEY]) found[found.length] = inner[KEY];
    } catch {
      // another origin's: it is asked by a call of its own
    }
  }
  return found;
}

// What a frame's probe answers; over as well when the frame's document is replaced, because then it never answers.
const answerOf = (inner, asked) => new SafePromise((resolve, reject) => {
  let over = false;
  const end = (how) => (value) => {
    over = true;
    how(value);
  };
  then(asked, end(resolve), end(reject));
  const look = () => {
    if (over) return;
    if (includes(innerProbes(), inner)) nativeSetTimeout(look, 10);
    else resolve({ pending: [], waited: ['navigation'] });
  };
  nativeSetTimeout(look, 10);
});

// Settles the page and its same-origin frames: over when a pass over all of them had nothing to wait for.
async function settleAll(deadline, horizon) {
  const waited = [];
  for (;;) {
    const own = await settle(deadline, horizon);
    const pendingKinds = own.pending;
    let waitedNow = false;
    for (let i = 0; i < own.waited.length; i += 1) if (!includes(waited, own.waited[i])) waited[waited.length] = own.waited[i];
    const inner = innerProbes();
    for (let i = 0; i < inner.length; i += 1) {
      const result = await answerOf(inner[i], inner[i].settle(max(0, deadline - now()), horizon));
      if (result.waited.length > 0 && result.pending.length === 0) waitedNow = true;
      for (let j = 0; j < result.waited.length; j += 1) if (!includes(waited, result.waited[j])) waited[waited.length] = result.waited[j];
      for (let j = 0; j < result.pending.length; j += 1) if (!includes(pendingKinds, result.pending[j])) pendingKinds[pendingKinds.length] = result.pending[j];
    }
    if (!waitedNow || now() >= deadline) return { pending: pendingKinds, waited };
  }
}

// Input to any document of the page tells work that answers input from work that goes on by itself, in all of them.
function touch() {
  inputs += 1;
  const inner = innerProbes();
  for (let i = 0; i < inner.length; i += 1) inner[i].touch();
}
function touched() {
  let outermost = window;
  try {
    while (outermost.parent !== outermost && outermost.parent[KEY]) outermost = outermost.parent;
  } catch {
    // the frame above is of another origin
  }
  if (outermost === window) touch();
  else outermost[KEY].touch();
}
const INPUT = ['pointerdown', 'pointerup', 'keydown', 'wheel'];
for (let i = 0; i < INPUT.length; i += 1) {
  nativeListen(window, INPUT[i], (event) => isTrusted(event) && touched(), { capture: true, passive: true });
}

const probe = {
  __proto__: null,
  settle: (left, horizon) => settleAll(now() + left, horizon),
  // Settles, then observes: one call, one reply.
  async step(deadline, horizon, frame, have, limit) {
    frameWanted = frame;
    const started = now();
    const { pending: left, waited } = await settleAll(started + deadline, horizon);
    const settled = now();
    const page = observe(have, limit);
    return '{' + page + ',"pending":[' + quoteAll(left) + '],"waited":[' + quoteAll(waited) + '],"late":' + late +
      ',"downloads":' + takeDownloads() + ',"violations":[' + takeViolations() + '],"settle_ms":' + number(settled - started) + ',"observe_ms":' + number(now() - settled) + '}';
  },
  touch,
  locate,
  listensTo,
  locateOption,
  fill,
  element: (key) => mapGet(elements, key) || null,
  markLate() {
    late = true;
  },
};
defineProperty(window, KEY, { value: probe, enumerable: false, writable: false, configurable: false });
