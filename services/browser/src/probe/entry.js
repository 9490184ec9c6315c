// Entry points that Rutter calls.

let cut = false; // whether the last observation left something out, so that what was not walked is not known
let sequence = 0; // of the last observation
let listed = newList(); // keys of its nodes, in order
let elements = new SafeMap(); // key -> element, of the last observation
let walkedAlways = newList(); // elements that are walked every time

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

// The current page as JSON; only the differences from observation `have`, if that was the last one sent.
function observe(have, limit, all) {
  whole = all;
  recased = false;
  spent = 0;
  cutText = false;
  const previous = sequence > 0 && have === timeOrigin + ':' + sequence ? sequence : 0;
  // A receiver without an observation gets everything fresh. Without scripts no change was reported, so nothing is
  // reused.
  if (previous === 0 || cut || !scripted) invalidateAll();
  noticeMutations();
  noticeFlips();
  noticeFaces();
  for (let i = 0; i < walkedAlways.length; i += 1) invalidate(walkedAlways[i], false);
  const root = documentElement(document);
  walkPage(root, limit);
  const order = newList();
  elements = new SafeMap();
  for (let i = 0; i < walk.count; i += 1) {
    const entry = walk.order[i];
    freshen(entry);
    measure(entry);
    if (entry.w === 0 && entry.h === 0 && entry.tag !== 'area') continue; // squeezed away since it was described
    const looks = entry.stand === null && FIELD[entry.tag] ? PAINTED : SHOWN;
    if (entry.seen !== 'on_hover' && !checkVisibility(entry.stand || entry.element, looks) && !isBoxless(entry.element)) {
      mapSet(flips, entry.element, true); // hidden by style alone since it was described
      continue;
    }
    order[order.length] = entry;
    mapSet(elements, entry.key, entry.element);
  }
  walkedAlways = walk.always;
  rangeAround(textRange, document);
  if (walk.truncated || cutText) unread('too_large', null);
  cut = walk.truncated;
  sequence += 1;
  const reply = '"have":' + quote(timeOrigin + ':' + sequence) + ',"fresh":' + (previous === 0) + ',' +
    differences(order, previous, sequence) + ',' + splice(order, previous === 0 ? newList() : listed) + ',' + surface(root) + ',"truncated":' + walk.truncated +
    ',"unread":[' + join(walk.unread) + '],"texts":[' + (whole ? textsJson(walk.texts) : '') + '],"written":[' + (whole && recased ? writtenTexts(root, limit) : '') + ']';
  listed = newList();
  for (let i = 0; i < order.length; i += 1) listed[i] = order[i].key;
  walk = null;
  return reply;
}
const pageArea = areaOf(document, 0);

function walkPage(root, limit) {
  walk = {
    count: 0, limit, truncated: false, order: newList(), frames: newList(), foreign: newList(),
    focused: focusedElement(), always: newList(), unread: newList(), texts: newList(), number: sequence + 1, reveals: new SafeMap(),
    cover: whole ? coverOf(document) : null,
  };
  walk.frames[0] = '{"url":' + quote(documentUrl(document)) + '}';
  pageArea.right = innerWidth(window);
  pageArea.bottom = innerHeight(window);
  const top = levelOf(null, null, '');
  top.area = pageArea;
  top.force = false;
  if (root) {
    seesAll(top, document, window);
    walkElement(root, top, newList());
    walk.texts[0] = shown;
  }
}

// The texts as the document spells them. Invalidates what was walked for it.
function writtenTexts(root, limit) {
  asWritten = true;
  spent = 0;
  invalidateAll();
  try {
    walkPage(root, limit);
    return textsJson(walk.texts);
  } finally {
    asWritten = false;
    rangeAround(textRange, document);
    invalidateAll();
  }
}

// The visible text of the documents, by their frames.
function textsJson(texts) {
  let json = '';
  for (let i = 0; i < texts.length; i += 1) {
    if (texts[i] !== undefined) json += (json && ',') + '[' + i + ',' + quote(linesOf(texts[i])) + ']';
  }
  return json;
}

// The order as one splice of the order before: most actions change one place of a page.
function splice(order, before) {
  let head = 0;
  while (head < before.length && head < order.length && before[head] === order[head].key) head += 1;
  let tail = 0;
  while (tail < before.length - head && tail < order.length - head && before[before.length - 1 - tail] === order[order.length - 1 - tail].key) tail += 1;
  let between = '';
  for (let i = head; i < order.length - tail; i += 1) between += (between && ',') + order[i].key;
  return '"head":' + head + ',"tail":' + tail + ',"between":[' + between + ']';
}

// Whether the document announces a refresh that replaces it shortly.
const REFRESH = 'meta[http-equiv=refresh i]';
function refreshes() {
  const meta = documentQuery(document, REFRESH);
  const seconds = meta ? parseFloat(getAttribute(meta, 'content') || '') : Infinity;
  return seconds <= 10 && regExpExec(/url/i, getAttribute(meta, 'content')) !== null;
}

// What surrounds the nodes.
function surface(root) {
  const description = documentQuery(document, 'meta[name=description]');
  return '"url":' + quote(documentUrl(document)) + ',"title":' + quote(clip(documentTitle(document), 1000)) +
    ',"description":' + quote(clip((description && getAttribute(description, 'content')) || '', 2000)) +
    ',"language":' + quote(clip((root && getAttribute(root, 'lang')) || '', 100)) +
    ',"frames":[' + join(walk.frames) + '],"foreign":[' + join(walk.foreign) + ']' +
    ',"viewport":{"width":' + innerWidth(window) + ',"height":' + innerHeight(window) + ',"scroll_y":' + number(scrolledY(window)) +
    ',"scroll_height":' + (root ? scrollHeight(root) : 0) + '}';
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

const quoteOrNull = (text) => (text === null ? 'null' : quote(text));

// A property name that no page uses by accident, and that none can claim, since it is defined first.
const KEY = 'rutter probe';

const NAVIGATION = newList();
NAVIGATION[0] = 'navigation';

// The probes of the page's same-origin frames.
function innerProbes() {
  const found = newList();
  if (!scripted) return found; // what they answer is never heard
  const length = framesLength(window);
  for (let i = 0; i < length && found.length < FRAMES; i += 1) {
    try {
      const inner = window[i];
      if (inner && inner[KEY]) found[found.length] = inner[KEY];
    } catch {
      // another origin's: it is asked by a call of its own
    }
  }
  return found;
}

// The answer of a frame's probe; also ends when the frame's document is replaced, because then it never answers.
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
    else resolve({ __proto__: null, pending: newList(), waited: NAVIGATION });
  };
  nativeSetTimeout(look, 10);
});

// Limits for endlessly nested frames: those beyond are neither waited for nor walked.
const FRAMES = 50; // of one document that are waited for, of a page that are walked
const DEPTH = 6; // of frames within frames
const NOTHING_WITHIN = newList();

// Waits until a pass over the page and its same-origin frames finds nothing pending.
async function settleAll(deadline, horizon, depth) {
  const waited = newList();
  for (;;) {
    const own = await settle(deadline, horizon);
    const pendingKinds = own.pending;
    let waitedNow = false;
    for (let i = 0; i < own.waited.length; i += 1) if (!includes(waited, own.waited[i])) waited[waited.length] = own.waited[i];
    const inner = depth < DEPTH ? innerProbes() : NOTHING_WITHIN;
    for (let i = 0; i < inner.length; i += 1) {
      const result = await answerOf(inner[i], inner[i].settle(max(0, deadline - now()), horizon, depth + 1));
      if (result.waited.length > 0 && result.pending.length === 0) waitedNow = true;
      for (let j = 0; j < result.waited.length; j += 1) if (!includes(waited, result.waited[j])) waited[waited.length] = result.waited[j];
      for (let j = 0; j < result.pending.length; j += 1) if (!includes(pendingKinds, result.pending[j])) pendingKinds[pendingKinds.length] = result.pending[j];
    }
    if (!waitedNow || now() >= deadline) return { __proto__: null, pending: pendingKinds, waited };
  }
}

// Marks input in all documents of the page: it separates work that responds to input from work that runs on its own.
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
  nativeListen(window, INPUT[i], (event) => {
    if (!isTrusted(event)) return;
    touched();
    touchedBy(event);
  }, { __proto__: null, capture: true, passive: true });
}

const probe = {
  __proto__: null,
  settle: (left, horizon, depth) => settleAll(now() + left, horizon, depth),
  // Settles, then observes: one call, one reply.
  async step(deadline, horizon, frame, have, limit, all) {
    frameWanted = frame;
    const started = now();
    const { pending: left, waited } = await settleAll(started + deadline, horizon, 0);
    const settled = now();
    const page = observe(have, limit, all);
    if (scripted && refreshes()) left[left.length] = 'refresh';
    return '{' + page + ',"pending":[' + quoteAll(left) + '],"waited":[' + quoteAll(waited) + '],"late":' + late + ',"scripted":' + scripted +
      ',"downloads":' + takeDownloads() + ',"missed":' + quoteOrNull(takeMissed()) + ',"errors":' + takeErrors() + ',"violations":[' + takeViolations() + '],"settle_ms":' + number(settled - started) + ',"observe_ms":' + number(now() - settled) + '}';
  },
  touch,
  aimAt,
  takeMissed,
  locate,
  listensTo,
  locateOption,
  fill,
  withhold,
  withholdHere,
  unveil,
  element: (key) => mapGet(elements, key) || null,
  stays,
  letters,
  closedRoots,
  internals,
  // Registers the closed shadow root that contains a node; returns whether it was new.
  adopt(node) {
    const host = rootHost(getRootNode(node));
    if (shadowRoot(host) !== null) return false;
    weakSet(closedRoots, host, getRootNode(node));
    invalidate(host, true);
    return true;
  },
  markLate() {
    late = true;
  },
};
defineProperty(window, KEY, { value: probe, enumerable: false, writable: false, configurable: false });
