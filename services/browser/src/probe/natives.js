// Native functions, saved before any page script runs. A page may replace prototypes, or shadow form properties by
// field names; the probe calls only these.

const { apply, construct, defineProperty, getOwnPropertyDescriptor: descriptorOf, setPrototypeOf } = Reflect;
const uncurry = Function.prototype.bind.bind(Function.prototype.call);
const methodOf = (prototype, name) => uncurry(prototype[name]);
const getterOf = (prototype, name) => uncurry(descriptorOf(prototype, name).get);

const { stringify } = JSON;
const { round, min, max, floor } = Math;
const SafeMap = Map;
const SafeSet = Set;
const SafeWeakMap = WeakMap;
const SafePromise = Promise;
const SafeProxy = Proxy;
const then = methodOf(Promise.prototype, 'then');
const mapGet = methodOf(Map.prototype, 'get');
const mapSet = methodOf(Map.prototype, 'set');
const mapHas = methodOf(Map.prototype, 'has');
const mapDelete = methodOf(Map.prototype, 'delete');
const mapForEach = methodOf(Map.prototype, 'forEach');
const mapSize = getterOf(Map.prototype, 'size');
const setAdd = methodOf(Set.prototype, 'add');
const setHas = methodOf(Set.prototype, 'has');
const setDelete = methodOf(Set.prototype, 'delete');
const setForEach = methodOf(Set.prototype, 'forEach');
const setSize = getterOf(Set.prototype, 'size');
const weakGet = methodOf(WeakMap.prototype, 'get');
const weakSet = methodOf(WeakMap.prototype, 'set');
const weakHas = methodOf(WeakMap.prototype, 'has');
const stringSlice = methodOf(String.prototype, 'slice');
const stringSplit = methodOf(String.prototype, 'split');
const stringLower = methodOf(String.prototype, 'toLowerCase');
const stringUpper = methodOf(String.prototype, 'toUpperCase');
const stringStartsWith = methodOf(String.prototype, 'startsWith');
const charCodeAt = methodOf(String.prototype, 'charCodeAt');
const wellFormed = methodOf(String.prototype, 'toWellFormed');
const regExpExec = methodOf(RegExp.prototype, 'exec');

const now = performance.now.bind(performance);
const timeOrigin = performance.timeOrigin;
const nativeSetTimeout = setTimeout.bind(window);
const nativeRequestFrame = requestAnimationFrame.bind(window);
const nativePostTask = window.scheduler && scheduler.postTask ? scheduler.postTask.bind(scheduler) : null;
const turnChannel = new MessageChannel();
const nativePost = methodOf(MessagePort.prototype, 'postMessage');
const nativeListen = methodOf(EventTarget.prototype, 'addEventListener');
const NativeEvent = Event;
const dispatch = methodOf(EventTarget.prototype, 'dispatchEvent');
const setInputValue = uncurry(descriptorOf(HTMLInputElement.prototype, 'value').set);
const NativeMutationObserver = MutationObserver;
const observeMutations = methodOf(MutationObserver.prototype, 'observe');
const windowEvent = () => currentEvent(window);
const currentEvent = uncurry((descriptorOf(window, 'event') || { get() {} }).get);
const eventTarget = getterOf(Event.prototype, 'target');
const isTrusted = (event) => event.isTrusted; // an unforgeable own property

const nodeType = getterOf(Node.prototype, 'nodeType');
const firstChild = getterOf(Node.prototype, 'firstChild');
const nextSibling = getterOf(Node.prototype, 'nextSibling');
const nextElement = getterOf(Element.prototype, 'nextElementSibling');
const previousElement = getterOf(Element.prototype, 'previousElementSibling');
const parentNode = getterOf(Node.prototype, 'parentNode');
const isConnected = getterOf(Node.prototype, 'isConnected');
const ownerDocument = getterOf(Node.prototype, 'ownerDocument');
const textContent = getterOf(Node.prototype, 'textContent');
const getRootNode = methodOf(Node.prototype, 'getRootNode');
const contains = methodOf(Node.prototype, 'contains');
const characters = getterOf(CharacterData.prototype, 'data');
const localName = getterOf(Element.prototype, 'localName');
const namespaceURI = getterOf(Element.prototype, 'namespaceURI');
const openRoot = getterOf(Element.prototype, 'shadowRoot');
// Closed shadow roots by host: those attached by scripts, and those in markup after DevTools handed them over.
const closedRoots = heldAbove('closedRoots') || new SafeWeakMap();
// By the custom element what it tells of itself without attributes.
const internals = heldAbove('internals') || new SafeWeakMap();
// Nested same-origin documents share one map, since the outermost reads them all.
function heldAbove(name) {
  try {
    return window.parent !== window && window.parent['rutter probe'][name];
  } catch {
    return null; // another origin's, or none
  }
}
const shadowRoot = (element) => openRoot(element) || weakGet(closedRoots, element) || null;
const rootHost = getterOf(ShadowRoot.prototype, 'host');
const assignedSlot = getterOf(Element.prototype, 'assignedSlot');
const assignedNodes = methodOf(HTMLSlotElement.prototype, 'assignedNodes');
const getAttribute = methodOf(Element.prototype, 'getAttribute');
const hasAttribute = methodOf(Element.prototype, 'hasAttribute');
const elementAttributes = getterOf(Element.prototype, 'attributes');
const attributesLength = getterOf(NamedNodeMap.prototype, 'length');
const attributesItem = methodOf(NamedNodeMap.prototype, 'item');
const attributeName = getterOf(Attr.prototype, 'name');
const attributeValue = getterOf(Attr.prototype, 'value');
const matches = methodOf(Element.prototype, 'matches');
const queryOne = methodOf(Element.prototype, 'querySelector');
const checkVisibility = methodOf(Element.prototype, 'checkVisibility');
const nativeRect = methodOf(Element.prototype, 'getBoundingClientRect');
const clientRects = methodOf(Element.prototype, 'getClientRects');
const scrollIntoView = methodOf(Element.prototype, 'scrollIntoView');
const scrollHeight = getterOf(Element.prototype, 'scrollHeight');
const scrollWidth = getterOf(Element.prototype, 'scrollWidth');
const clientHeight = getterOf(Element.prototype, 'clientHeight');
const clientWidth = getterOf(Element.prototype, 'clientWidth');
const clientLeft = getterOf(Element.prototype, 'clientLeft');
const clientTop = getterOf(Element.prototype, 'clientTop');
const takeRecords = methodOf(MutationObserver.prototype, 'takeRecords');
const changeTarget = getterOf(MutationRecord.prototype, 'target');
const changeType = getterOf(MutationRecord.prototype, 'type');
const changedAttribute = getterOf(MutationRecord.prototype, 'attributeName');
const addedNodes = getterOf(MutationRecord.prototype, 'addedNodes');
const rectLeft = getterOf(DOMRectReadOnly.prototype, 'left');
const rectTop = getterOf(DOMRectReadOnly.prototype, 'top');
const rectWidth = getterOf(DOMRect.prototype, 'width');
const rectHeight = getterOf(DOMRect.prototype, 'height');
const rectsLength = getterOf(DOMRectList.prototype, 'length');
const rectsItem = methodOf(DOMRectList.prototype, 'item');
const rectOf = (box) => ({ left: rectLeft(box), top: rectTop(box), width: rectWidth(box), height: rectHeight(box) });
const clientRect = (element) => rectOf(nativeRect(element));
const textRange = new Range();
const rangeAround = methodOf(Range.prototype, 'selectNodeContents');
const rangeStart = methodOf(Range.prototype, 'setStart');
const rangeEnd = methodOf(Range.prototype, 'setEnd');
const rangeRect = methodOf(Range.prototype, 'getBoundingClientRect');
const innerWidth = getterOf(window, 'innerWidth');
const innerHeight = getterOf(window, 'innerHeight');
const pixelRatio = getterOf(window, 'devicePixelRatio');
const scrolledX = getterOf(window, 'scrollX');
const scrolledY = getterOf(window, 'scrollY');
const frameSource = getterOf(HTMLIFrameElement.prototype, 'src');
const objectData = getterOf(HTMLObjectElement.prototype, 'data');
const playState = getterOf(Animation.prototype, 'playState');
const animationEffect = getterOf(Animation.prototype, 'effect');
const currentTime = getterOf(Animation.prototype, 'currentTime');
const playbackRate = getterOf(Animation.prototype, 'playbackRate');
const computedTiming = methodOf(AnimationEffect.prototype, 'getComputedTiming');
const baseUri = getterOf(Node.prototype, 'baseURI');
const NativeUrl = URL;
const urlHref = getterOf(URL.prototype, 'href');
const anchorHref = getterOf(HTMLAnchorElement.prototype, 'href');
const areaHref = getterOf(HTMLAreaElement.prototype, 'href');
const labelControl = getterOf(HTMLLabelElement.prototype, 'control');
const computedStyle = window.getComputedStyle.bind(window);
const styleValue = methodOf(CSSStyleDeclaration.prototype, 'getPropertyValue');
const documentElement = getterOf(Document.prototype, 'documentElement');
const documentBody = getterOf(Document.prototype, 'body');
const documentScroller = getterOf(Document.prototype, 'scrollingElement');
const documentTitle = getterOf(Document.prototype, 'title');
const documentUrl = getterOf(Document.prototype, 'URL');
const documentHidden = getterOf(Document.prototype, 'hidden');
const readyState = getterOf(Document.prototype, 'readyState');
const defaultView = getterOf(Document.prototype, 'defaultView');
const documentQuery = methodOf(Document.prototype, 'querySelector');
const documentActive = getterOf(Document.prototype, 'activeElement');
const shadowActive = getterOf(ShadowRoot.prototype, 'activeElement');
const documentAt = methodOf(Document.prototype, 'elementFromPoint');
const shadowAt = methodOf(ShadowRoot.prototype, 'elementFromPoint');
const elementById = methodOf(Document.prototype, 'getElementById');
const fragmentById = methodOf(DocumentFragment.prototype, 'getElementById');
const fragmentQuery = methodOf(DocumentFragment.prototype, 'querySelector');
const queryEvery = methodOf(Element.prototype, 'querySelectorAll');
const fragmentQueryAll = methodOf(DocumentFragment.prototype, 'querySelectorAll');
const animationsOf = methodOf(Document.prototype, 'getAnimations');
const inlineDocument = getterOf(HTMLIFrameElement.prototype, 'contentDocument');
const setDocument = getterOf(HTMLFrameElement.prototype, 'contentDocument');
const objectDocument = getterOf(HTMLObjectElement.prototype, 'contentDocument');
const objectWindow = getterOf(HTMLObjectElement.prototype, 'contentWindow');
const framesLength = getterOf(window, 'length');
const pictureDocument = methodOf(HTMLEmbedElement.prototype, 'getSVGDocument');
// An embedded page has no way down to it, only one up.
function embeddedDocument(element) {
  const picture = pictureDocument(element);
  if (picture) return picture;
  const view = defaultView(ownerDocument(element));
  const length = view ? framesLength(view) : 0;
  for (let i = 0; i < length; i += 1) {
    try {
      if (view[i].frameElement === element) return view[i].document;
    } catch {
      // another origin's
    }
  }
  return null;
}
// The document of a frame, an object or an embedded page; none where it is of another origin.
function frameDocument(element) {
  const tag = localName(element);
  if (tag === 'iframe') return inlineDocument(element);
  if (tag === 'object') return objectDocument(element);
  return tag === 'embed' ? embeddedDocument(element) : setDocument(element);
}
// Whether an element shows a document of its own.
function isFrame(element, tag) {
  if (tag === 'iframe' || tag === 'frame') return true;
  if (tag === 'object') return objectWindow(element) !== null;
  return tag === 'embed' && embeddedDocument(element) !== null;
}
const listLength = getterOf(NodeList.prototype, 'length');
const listItem = methodOf(NodeList.prototype, 'item');

// A list without a prototype: a page that defines properties of all lists, or of what they begin with, does not meet it.
const newList = () => {
  const list = [];
  setPrototypeOf(list, null);
  return list;
};

const HTML = 'http://www.w3.org/1999/xhtml';
const SVG = 'http://www.w3.org/2000/svg';
const ELEMENT = 1;
const TEXT = 3;

// Wraps a function of the page so that `handler` runs first. A proxy keeps the name, length and source text of native
// code.
function wrap(owner, name, handler) {
  const descriptor = owner && descriptorOf(owner, name);
  if (!descriptor || typeof descriptor.value !== 'function') return;
  descriptor.value = new SafeProxy(descriptor.value, handler);
  defineProperty(owner, name, descriptor);
}

// White space folded, as a reader sees it. By hand: a regular expression asks its prototype, which the page may have replaced.
const isSpace = (code) => code === 32 || (code >= 9 && code <= 13) || code === 160 ||
  (code >= 0x1680 && (code === 0x1680 || (code >= 0x2000 && code <= 0x200a) || code === 0x2028 || code === 0x2029 || code === 0x202f || code === 0x205f || code === 0x3000));
// Soft hyphens, zero-width characters and direction marks: nobody sees them. Joiners join in scripts other than Latin.
const isUnseen = (code, before) => code === 0xad || (code >= 0x61c && (code === 0x61c || code === 0x180e || code === 0x200b ||
  ((code === 0x200c || code === 0x200d) && before < 0x300) || code === 0x200e || code === 0x200f || (code >= 0x202a && code <= 0x202e) ||
  (code >= 0x2060 && code <= 0x2064) || (code >= 0x2066 && code <= 0x2069) || code === 0xfeff));
function withoutUnseen(text) {
  let kept = '';
  let start = 0;
  let before = 0;
  for (let i = 0; i < text.length; i += 1) {
    const code = charCodeAt(text, i);
    if (isUnseen(code, before)) {
      kept += stringSlice(text, start, i);
      start = i + 1;
    } else before = code;
  }
  return start === 0 ? text : kept + stringSlice(text, start);
}
// With a limit, what lies far beyond it is not looked at.
function fold(text, limit) {
  let folded = '';
  let start = -1;
  for (let i = 0; i <= text.length; i += 1) {
    const space = i === text.length || isSpace(charCodeAt(text, i));
    if (!space) {
      if (start < 0) start = i;
    } else if (start >= 0) {
      const word = withoutUnseen(stringSlice(text, start, i));
      start = -1;
      if (word === '') continue;
      folded += (folded === '' ? '' : ' ') + word;
      if (folded.length > limit) break;
    }
  }
  return folded;
}
const clip = (text, length) => (text.length > length ? stringSlice(text, 0, length) : text);

// Properties of form controls by tag; `undefined` for anything else.
const controlGetters = new SafeMap();
for (const Control of [HTMLInputElement, HTMLSelectElement, HTMLTextAreaElement, HTMLButtonElement, HTMLOptionElement]) {
  const own = { __proto__: null };
  for (const name of ['value', 'type', 'checked', 'indeterminate', 'disabled', 'readOnly', 'validationMessage', 'labels',
    'multiple', 'size', 'options', 'selected', 'label', 'list', 'text', 'willValidate', 'form']) {
    const descriptor = descriptorOf(Control.prototype, name);
    if (descriptor && descriptor.get) own[name] = uncurry(descriptor.get);
  }
  const tag = { HTMLInputElement: 'input', HTMLSelectElement: 'select', HTMLTextAreaElement: 'textarea', HTMLButtonElement: 'button', HTMLOptionElement: 'option' }[Control.name];
  mapSet(controlGetters, tag, own);
}
const control = (element, tag, name) => {
  const own = mapGet(controlGetters, tag);
  return own && own[name] ? own[name](element) : undefined;
};
const elementsByTagWithin = methodOf(Element.prototype, 'getElementsByTagName');
const toHex = methodOf(Number.prototype, 'toString');
const optionsLength = getterOf(HTMLCollection.prototype, 'length');
const optionsItem = methodOf(HTMLCollection.prototype, 'item');
const detailsOpen = getterOf(HTMLDetailsElement.prototype, 'open');
