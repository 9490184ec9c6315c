// Caches descriptions of elements between observations, and invalidates them. A click changes one place of a page, so
// only that is described anew. Boxes are not cached: anything can move them.

const records = new SafeWeakMap(); // element -> record
let nextKey = 1;

// `key` names the element for the life of the document. While `clean`, nothing in the subtree changed since it was walked.
// After `deep`, descriptions of the whole subtree are stale, not only its text.
function recordOf(element, tag) {
  let record = weakGet(records, element);
  if (record === undefined) {
    record = {
      element, tag, key: nextKey++, clean: false, deep: true, entry: null, children: newList(), text: '', shown: '',
      position: 0, own: '', hidden: false, unseen: false, pointer: false, area: null, parentKey: 0, listed: false,
      build: null, built: 0, isEntry: false, entryNow: false, // see items.js
    };
    weakSet(records, element, record);
  }
  return record;
}

function invalidate(element, deep) {
  const first = weakGet(records, element);
  if (first && deep) first.deep = true;
  for (let at = element; at; at = nodeType(at) === 9 ? null : flatParent(at)) {
    const record = weakGet(records, at);
    if (record) {
      if (!record.clean && record.build === null && at !== element) return; // so are all above it
      record.clean = false;
      record.build = null;
    }
  }
}

function forgetBuild(element) {
  const record = weakGet(records, element);
  if (record) record.build = null;
}

const isStyle = (node) => nodeType(node) === ELEMENT && (localName(node) === 'style' || localName(node) === 'link' || localName(node) === 'head');
const invalidateAll = () => {
  const root = documentElement(document);
  if (root) invalidate(root, true);
};

// A record of a mutation observer. Attributes may restyle what follows the element, so its parent's whole content is stale.
function mutated(record) {
  const target = changeTarget(record);
  const type = changeType(record);
  const element = nodeType(target) === ELEMENT ? target : nodeType(target) === 11 ? target.host : flatParent(target);
  if (!element) return;
  if (type === 'attributes') {
    if (changedAttribute(record) === 'open') {
      unseen = true; // details tell of it by a task, dialogs when the next frame is drawn
      if (localName(element) === 'dialog') frameWanted = true;
    }
    forgetBuild(element);
    invalidate(flatParent(element) || element, true);
    if (changedAttribute(record) === 'id' || changedAttribute(record) === 'for') invalidateAll(); // labels may name other fields now
    return;
  }
  if (isStyle(element) || (parentNode(element) && isStyle(parentNode(element)))) invalidateAll();
  const added = addedNodes(record);
  for (let i = 0; type === 'childList' && i < listLength(added); i += 1) if (isStyle(listItem(added, i))) invalidateAll();
  invalidate(element, false);
  // What the text names: the field of a label.
  for (let at = element; at && nodeType(at) === ELEMENT; at = flatParent(at)) {
    if (localName(at) === 'label' && labelControl(at)) invalidate(labelControl(at), true);
    else if (localName(at) === 'body') break;
  }
}

// Elements seen hidden, and whether they are shown now: style may toggle them without a mutation, as a menu under the
// pointer.
const flips = new SafeMap();
const SHOWN = { __proto__: null, visibilityProperty: true, opacityProperty: true };
const PAINTED = { __proto__: null, visibilityProperty: true };
function noticeFlips() {
  mapForEach(flips, (shown, element) => {
    if (!isConnected(element)) mapDelete(flips, element);
    else if (checkVisibility(element, SHOWN) !== shown) invalidate(element, true);
  });
}

// Lists with their displayed content when they were walked: a selection changes without a mutation.
const faces = new SafeMap();
function noticeFaces() {
  mapForEach(faces, (face, element) => {
    if (!isConnected(element)) mapDelete(faces, element);
    else if (faceOf(element, 'select') !== face) invalidate(element, false);
  });
}

// States that a page's style may depend on without telling: what is focused, what is checked.
function touchedBy(event) {
  const target = eventTarget(event);
  if (target && target !== window && nodeType(target) === ELEMENT) invalidate(flatParent(target) || target, true);
}

// The result of an animation is in no attribute.
const ends = (event) => {
  const target = eventTarget(event);
  if (target && target !== window && nodeType(target) === ELEMENT) invalidate(flatParent(target) || target, true);
};
nativeListen(document, 'transitionend', ends, true);
nativeListen(document, 'animationend', ends, true);

// Rules that are put into a style sheet by a script change no node.
for (const name of ['insertRule', 'deleteRule', 'addRule', 'removeRule', 'replace', 'replaceSync']) {
  wrap(CSSStyleSheet.prototype, name, {
    apply(target, self, args) {
      invalidateAll();
      return apply(target, self, args);
    },
  });
}
