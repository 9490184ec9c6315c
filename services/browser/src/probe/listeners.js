// Which elements listen for user events. Known by watching the registration, so no debugger is needed.

const USER_EVENTS = new SafeMap();
for (const [kind, names] of [
  ['click', ['click', 'dblclick', 'mousedown', 'mouseup', 'pointerdown', 'pointerup', 'touchstart', 'touchend']],
  ['press', ['mousedown', 'pointerdown', 'touchstart']],
  ['hover', ['mouseenter', 'mouseover', 'pointerenter', 'pointerover']],
  ['key', ['keydown', 'keyup', 'keypress', 'input']],
]) {
  for (const name of names) {
    const kinds = mapGet(USER_EVENTS, name) || [];
    kinds[kinds.length] = kind;
    mapSet(USER_EVENTS, name, kinds);
  }
}

const listeners = new SafeWeakMap(); // target -> { click, press, hover, key }: sets of "event listener" pairs
const NOTHING = { __proto__: null, click: 0, press: 0, hover: 0, key: 0 };

// Events that come as tasks of their own, some time after what caused them.
const TASK_EVENTS = lookupOf('toggle close cancel selectionchange message storage hashchange popstate versionchange slotchange');
function lookupOf(names) {
  const found = { __proto__: null };
  for (const name of names.split(' ')) found[name] = true;
  return found;
}

function register(target, type, listener, by) {
  if (TASK_EVENTS[type]) queues = true;
  const kinds = mapGet(USER_EVENTS, type);
  if (!kinds || !listener || (typeof target !== 'object' && target !== undefined)) return;
  const owner = target || window;
  let own = weakGet(listeners, owner);
  if (!own) weakSet(listeners, owner, (own = { __proto__: null, pairs: new SafeMap(), click: 0, press: 0, hover: 0, key: 0 }));
  let known = mapGet(own.pairs, type);
  if (!known) mapSet(own.pairs, type, (known = new SafeSet()));
  if (setHas(known, listener) === by > 0) return;
  if (by > 0) setAdd(known, listener);
  else setDelete(known, listener);
  for (let i = 0; i < kinds.length; i += 1) own[kinds[i]] += by;
  if (weakHas(records, owner)) invalidate(owner, true);
}
const listensTo = (target) => weakGet(listeners, target) || NOTHING;

wrap(EventTarget.prototype, 'addEventListener', {
  apply(target, self, args) {
    register(self, args[0], args[1], 1);
    return apply(target, self, args);
  },
});
wrap(EventTarget.prototype, 'removeEventListener', {
  apply(target, self, args) {
    register(self, args[0], args[1], -1);
    return apply(target, self, args);
  },
});

function watchSetter(prototype, name) {
  const descriptor = descriptorOf(prototype, name);
  descriptor.set = new SafeProxy(descriptor.set, {
    apply(target, self, args) {
      if (weakHas(records, self)) invalidate(self, true);
      return apply(target, self, args);
    },
  });
  defineProperty(prototype, name, descriptor);
}

// Handlers set as properties or attributes: `element.onclick = …`, `<div onclick=…>`.
const handlerGetters = [];
for (const prototype of [HTMLElement.prototype, SVGElement.prototype]) {
  const own = { __proto__: null, click: [], hover: [] };
  for (const name of ['onclick', 'ondblclick', 'onmousedown', 'onpointerdown', 'onmouseenter', 'onmouseover']) watchSetter(prototype, name);
  for (const name of ['onclick', 'ondblclick', 'onmousedown', 'onpointerdown']) own.click[own.click.length] = getterOf(prototype, name);
  for (const name of ['onmouseenter', 'onmouseover']) own.hover[own.hover.length] = getterOf(prototype, name);
  handlerGetters[handlerGetters.length] = own;
}
function hasHandler(element, kind, isSvg) {
  const getters = handlerGetters[isSvg ? 1 : 0][kind];
  for (let i = 0; i < getters.length; i += 1) {
    try {
      if (getters[i](element)) return true;
    } catch {
      return false; // neither HTML nor SVG
    }
  }
  return false;
}

// Whether an element listens for what is within it, as the root of an application or of a table does, and is not pressed itself: it holds
// several controls in several parts, and no hand shows over it.
function listensForParts(element) {
  const several = (names, counts) => {
    let found = 0;
    for (let i = 0; i < names.length; i += 1) {
      const parts = elementsByTagWithin(element, names[i]);
      for (let j = 0; j < optionsLength(parts) && j < 50 && found < 2; j += 1) if (counts(optionsItem(parts, j), names[i])) found += 1;
    }
    return found > 1;
  };
  return several(PARTED, () => true) && several(PRESSED, (part, tag) => tag !== 'a' || linkOf(part) !== null);
}
const PARTED = ['li', 'tr', 'section', 'fieldset', 'article', 'h1', 'h2', 'h3'];
const PRESSED = ['button', 'a', 'input', 'select', 'textarea'];

// Violations of the content security policy, which the browser tells the page but not the driver.
let violations = newList();
nativeListen(document, 'securitypolicyviolation', (event) => {
  if (violations.length >= 100) return;
  violations[violations.length] = '{"directive":' + quote('' + event.effectiveDirective) + ',"blocked":' + quote(clip('' + event.blockedURI, 1000)) +
    ',"source":' + quote(clip('' + (event.sourceFile || event.documentURI), 1000)) + ',"line":' + floor(event.lineNumber || 0) + '}';
});

// How often something was reported to the console as an error. What it says, the driver knows better.
let errors = 0;
const failed = () => {
  errors += 1;
};
nativeListen(window, 'error', failed, true);
nativeListen(window, 'unhandledrejection', failed);
// Chromium's BiDi (seen in 156) answers nothing more once half a character was written to the console.
for (const name of ['log', 'info', 'warn', 'error', 'debug', 'trace', 'assert']) {
  wrap(console, name, {
    apply(target, self, args) {
      if (name === 'error') failed();
      for (let i = 0; i < args.length; i += 1) if (typeof args[i] === 'string') args[i] = wellFormed(args[i]);
      return apply(target, self, args);
    },
  });
}
function takeErrors() {
  const taken = errors;
  errors = 0;
  return taken;
}
function takeViolations() {
  const taken = join(violations);
  violations = newList();
  return taken;
}
