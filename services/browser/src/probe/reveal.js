// Controls that style shows only while something, mostly their item, is hovered. They count as present, since a person
// moves the pointer there first.

const ruleNested = descriptorOf(CSSStyleRule.prototype, 'cssRules') ? getterOf(CSSStyleRule.prototype, 'cssRules') : innerRules;
const declarations = window.CSSNestedDeclarations ? getterOf(CSSNestedDeclarations.prototype, 'style') : null;
const NEVER = 'rutter-none'; // a tag that no document has
const REVEALED = lookup('display visibility opacity pointer-events');

// The hover rules: `selector` matches the revealed elements as if everything were hovered, `holder` is what to hover.
function revealsOf(own) {
  let known = mapGet(walk.reveals, own);
  if (known === undefined) {
    hoverSelectors(own);
    known = weakGet(hovered, own).reveals;
    mapSet(walk.reveals, own, known);
  }
  return known;
}

// Takes in the rules that stand in a rule, with what stands around them put in.
function collectNested(rule, outer, found) {
  try {
    collect(ruleNested(rule), found, outer);
  } catch {
    // it holds none
  }
}
// Declarations of a rule that stand in an `@media` within it.
function addNested(rule, outer, found) {
  try {
    addReveals(outer, declarations(rule), found);
  } catch {
    // a rule of another kind
  }
}
function nestedSelector(outer, inner) {
  if (outer === '') return inner;
  const parts = stringSplit(inner, '&');
  if (parts.length === 1) return ':is(' + outer + ') ' + inner;
  let text = parts[0];
  for (let i = 1; i < parts.length; i += 1) text += ':is(' + outer + ')' + parts[i];
  return text;
}

function addReveals(selector, style, found) {
  let properties = null;
  let hides = null;
  for (const name in REVEALED) {
    const value = styleValue(style, name);
    if (value === '') continue;
    const isHiding = value === 'none' || value === 'hidden' || value === 'collapse' || (name === 'opacity' && parseFloat(value) === 0);
    if (isHiding) (hides || (hides = { __proto__: null }))[name] = true;
    else (properties || (properties = { __proto__: null }))[name] = true;
  }
  if (!properties && !hides) return;
  const parts = splitSelector(selector);
  for (let i = 0; i < parts.length; i += 1) {
    const part = parts[i];
    const pieces = stringSplit(part, ':hover');
    if (pieces.length < 2) continue;
    const negated = regExpExec(/:not\(\s*:hover/, part) !== null;
    const shows = negated ? hides : properties;
    if (!shows) continue;
    let as = pieces[0];
    for (let j = 1; j < pieces.length; j += 1) as += ':not(' + NEVER + ')' + pieces[j];
    // What is shown by its own hovering must have a box before.
    const isOther = regExpExec(/[\s>+~]/, pieces[pieces.length - 1]) !== null;
    const holder = fold(negated ? stringSplit(pieces[0], ':not(')[0] : pieces[0]);
    found.reveals[found.reveals.length] = { __proto__: null, selector: negated ? part : as, holder, shows, isOther };
  }
}

// The selectors of a list: commas within brackets part nothing.
function splitSelector(selector) {
  const parts = newList();
  let depth = 0;
  let start = 0;
  for (let i = 0; i <= selector.length; i += 1) {
    const letter = i < selector.length ? selector[i] : ',';
    if (letter === '(' || letter === '[') depth += 1;
    else if (letter === ')' || letter === ']') depth -= 1;
    else if (letter === ',' && (depth <= 0 || i === selector.length)) {
      parts[parts.length] = fold(stringSlice(selector, start, i));
      start = i + 1;
    }
  }
  return parts;
}

// What to hover so that a hidden element is shown; null where hovering does not show it.
function holderOf(element, property) {
  const reveals = revealsOf(ownerDocument(element));
  for (let i = 0; i < reveals.length; i += 1) {
    const reveal = reveals[i];
    if (!reveal.shows[property] || (!reveal.isOther && (property === 'display' || property === 'visibility'))) continue;
    try {
      if (matches(element, reveal.selector)) return boxAround(namedHolder(element, reveal.holder), element);
    } catch {
      // no selector on its own
    }
  }
  return null;
}

function namedHolder(element, selector) {
  if (selector === '') return null;
  try {
    for (let at = element; at && nodeType(at) === ELEMENT; at = parentNode(at)) {
      if (at !== element && matches(at, selector)) return at;
      for (let beside = previousElement(at); beside; beside = previousElement(beside)) if (matches(beside, selector)) return beside;
    }
  } catch {
    // a part of `:is(…)`: whatever stands around it is hovered
  }
  return null;
}

function boxAround(holder, element) {
  for (let at = holder || parentNode(element); at && nodeType(at) === ELEMENT; at = parentNode(at)) {
    const box = clientRect(at);
    if (box.width > 0 && box.height > 0 && checkVisibility(at, SHOWN)) return at;
  }
  return null;
}

// Which property hides an element; inline style is not overruled by a rule.
function hiddenBy(element, styleOf) {
  const inline = getAttribute(element, 'style') || '';
  if (regExpExec(/(display\s*:\s*none|visibility\s*:\s*hidden|opacity\s*:\s*0(\D|$))/, inline) !== null || hasAttribute(element, 'hidden')) return '';
  if (styleOf('display') === 'none') return 'display';
  if (styleOf('visibility') !== 'visible') return 'visibility';
  return +styleOf('opacity') === 0 ? 'opacity' : styleOf('pointer-events') === 'none' ? 'pointer-events' : '';
}

// What must be hovered before an element is shown or takes input; null where nothing must.
function revealedBy(element, styleOf) {
  if (revealsOf(ownerDocument(element)).length === 0) return null;
  const property = hiddenBy(element, styleOf);
  return property === '' ? null : holderOf(element, property);
}

// Lists the controls of a hidden subtree as what they are while `holder` is hovered. Their text is not that of the page.
function walkRevealed(element, tag, place, record, holder) {
  place.own = ownText(element);
  place.hidden = false;
  const isSvg = namespaceURI(element) === SVG;
  const role = roleOf(element, tag);
  const by = interactivity(element, tag, role, isSvg, false);
  if (by !== null) {
    const entry = weakGet(entries, element) || entryOf(element, tag, record.key);
    entry.parent = place.key;
    entry.area = place.area;
    entry.root = getRootNode(element);
    entry.interactive = true;
    entry.holder = holder;
    list(entry);
    const styleOf = (name) => styleValue(computedStyle(element), name);
    const text = text200(textBelow(element, null, 200));
    entry.facts = { element, tag, role, isSvg, by, hover: false, scrolls: false, text, source: text, place, item: false, bare: false };
    entry.line = describe(entry.facts, styleOf);
    entry.signature = signatureOf(element, tag);
    record.children[record.children.length] = { entry, children: newList() };
    place.key = record.key;
  }
  if (tag === 'select') return;
  for (let child = firstChild(element); child; child = nextSibling(child)) {
    if (nodeType(child) !== ELEMENT) continue;
    const inner = localName(child);
    if (SKIPPED[inner]) continue;
    const next = levelOf(place, child, inner);
    next.position = place.counts[inner] = (place.counts[inner] || 0) + 1;
    next.key = place.key;
    next.shadow = place.shadow;
    if (next.depth >= LEVELS || styleValue(computedStyle(child), 'display') === 'none') continue;
    const known = recordOf(child, inner);
    walkRevealed(child, inner, next, { key: known.key, children: record.children }, holder);
  }
}

// Whether an element that hovering shows is hidden now.
const FULLY = { __proto__: null, visibilityProperty: true, opacityProperty: true };
const isVeiled = (element) => !checkVisibility(element, FULLY) || styleValue(computedStyle(element), 'pointer-events') === 'none';

// Where the pointer must be so that an element is shown.
function unveil(key) {
  touched();
  const element = mapGet(elements, key);
  const entry = element && weakGet(entries, element);
  if (!entry || !entry.holder || !isConnected(entry.holder)) return refuse('nothing shows the element');
  scrollIntoView(entry.holder, { __proto__: null, block: 'nearest', inline: 'nearest', behavior: 'instant' });
  const box = clientRect(entry.holder);
  const own = ownerDocument(entry.holder);
  const points = pointsOf(entry.holder);
  for (let i = 0; i < points.length; i += 1) {
    const hit = elementAt(own, points[i].x, points[i].y);
    if (hit && isWithin(hit, entry.holder)) {
      const at = outwards(defaultView(own), points[i].x, points[i].y);
      return answer('"x":' + number(at.x) + ',"y":' + number(at.y) + ',"width":' + number(box.width) + ',"height":' + number(box.height));
    }
  }
  return refuse('what shows the element when it is hovered is covered');
}
