// Elements that move or resize on hover. A press must wait until the page has done so.

const documentSheets = getterOf(Document.prototype, 'styleSheets');
const sheetsLength = getterOf(StyleSheetList.prototype, 'length');
const sheetsItem = methodOf(StyleSheetList.prototype, 'item');
const sheetRules = getterOf(CSSStyleSheet.prototype, 'cssRules');
const innerRules = getterOf(CSSGroupingRule.prototype, 'cssRules');
const rulesLength = getterOf(CSSRuleList.prototype, 'length');
const rulesItem = methodOf(CSSRuleList.prototype, 'item');
const ruleSelector = getterOf(CSSStyleRule.prototype, 'selectorText');
const ruleStyle = getterOf(CSSStyleRule.prototype, 'style');
const styleLength = getterOf(CSSStyleDeclaration.prototype, 'length');
const styleItem = methodOf(CSSStyleDeclaration.prototype, 'item');
const closest = methodOf(Element.prototype, 'closest');
const MAX_RULES = 5000;

const PAINTING = ['color', 'background', 'border-', 'outline', 'text-', 'cursor', 'opacity', 'fill', 'stroke', 'box-shadow', 'filter', 'transition', '-webkit-'];
// Properties that only paint: whatever else a rule sets may move things.
const paints = (name) => {
  for (let i = 0; i < PAINTING.length; i += 1) if (stringStartsWith(name, PAINTING[i])) return stringSlice(name, -6) !== '-width';
  return false;
};

const hovered = new SafeWeakMap(); // document -> what its sheets said: { sheets, rules, selectors }

// Selectors of hovered elements in rules that may move anything.
function hoverSelectors(own) {
  const sheets = documentSheets(own);
  const length = sheetsLength(sheets);
  let counted = 0;
  for (let i = 0; i < length; i += 1) counted += rulesOf(sheetsItem(sheets, i)).length;
  const known = weakGet(hovered, own);
  if (known && known.sheets === length && known.rules === counted) return known.selectors;
  const found = { sheets: length, rules: counted, selectors: newList(), reveals: newList(), seen: 0 };
  for (let i = 0; i < length; i += 1) collect(rulesOf(sheetsItem(sheets, i)).list, found, '');
  weakSet(hovered, own, found);
  return found.selectors;
}

function rulesOf(sheet) {
  try {
    const list = sheetRules(sheet);
    return { list, length: rulesLength(list) };
  } catch {
    return { list: null, length: 0 }; // a sheet of another origin keeps its rules to itself
  }
}

function collect(list, found, outer) {
  if (!list) return;
  const length = rulesLength(list);
  for (let i = 0; i < length && found.seen < MAX_RULES; i += 1) {
    found.seen += 1;
    const rule = rulesItem(list, i);
    let selector;
    try {
      selector = nestedSelector(outer, ruleSelector(rule));
    } catch {
      try {
        collect(innerRules(rule), found, outer); // @media and its like
      } catch {
        if (declarations && regExpExec(/:hover/, outer) !== null) addNested(rule, outer, found);
      }
      continue;
    }
    collectNested(rule, selector, found);
    if (regExpExec(/:hover/, selector) === null) continue;
    const style = ruleStyle(rule);
    addReveals(selector, style, found);
    let moves = false;
    for (let j = 0; j < styleLength(style) && !moves; j += 1) moves = !paints(styleItem(style, j));
    if (!moves) continue;
    const parts = stringSplit(selector, ',');
    for (let j = 0; j < parts.length; j += 1) {
      const before = stringSplit(parts[j], ':hover');
      if (before.length < 2) continue;
      const subject = fold(before[0]);
      const last = stringSlice(subject, -1);
      const joins = subject === '' || last === '>' || last === '+' || last === '~' || stringSlice(before[0], -1) === ' ';
      found.selectors[found.selectors.length] = joins ? subject + ' *' : subject;
    }
  }
}

// Whether the element, or what holds it, may move as soon as the pointer is over it. Not asked where the pointer is already.
function movesUnderPointer(element) {
  if (matches(element, ':hover')) return false;
  for (let at = element, depth = 0; at && nodeType(at) === ELEMENT && depth < 3; at = flatParent(at), depth += 1) {
    if (listensTo(at).hover > 0) return true;
  }
  const selectors = hoverSelectors(ownerDocument(element));
  for (let i = 0; i < selectors.length; i += 1) {
    try {
      if (closest(element, selectors[i])) return true;
    } catch {
      // no selector on its own, such as a part of `:is(a, b)`
    }
  }
  return false;
}
