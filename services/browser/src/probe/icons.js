// What the icon of a control is called, where the control shows no words: by classes, references into sprites, file names,
// and characters that are pictures.

const GLYPHS = { __proto__: null };
for (const [glyphs, words] of [
  ['🗑 🚮 ␡ ⌦ ⌫', 'trash'], ['× ✕ ✖ ✗ ✘ ⨯ ❌ ❎ ╳ ⓧ', 'close'], ['✎ ✏ 🖉 🖊 ✍ 📝 🖋', 'edit'], ['⚙ 🔧 🛠 ⛭', 'settings'], ['+ ＋ ➕ ⊕ ✚', 'plus'],
  ['− – ➖ ⊖', 'minus'], ['✓ ✔ ✅ ☑ 🗸', 'check'], ['☰ ≡ 𝌆', 'menu'], ['⋮ ⋯ … ︙ •••', 'more'], ['🔍 🔎 ⌕ 🔎︎', 'search'], ['★ ☆ ⭐', 'star'],
  ['♥ ♡ ❤ 🤍', 'heart'], ['↻ ⟳ 🔄 ↺ ⟲', 'refresh'], ['← ◀ ‹ « ⬅ ⏴', 'left'], ['→ ▶ › » ➡ ⏵', 'right'], ['↑ ▲ ⬆ ⌃ ⏶', 'up'],
  ['↓ ▼ ⬇ ⌄ ▾ ⏷', 'down'], ['⏎ ↵', 'enter'], ['⬇ ⤓ 📥', 'download'], ['⤒ 📤', 'upload'], ['💾', 'save'], ['🖨', 'print'], ['📋 ⧉ ❐', 'copy'],
  ['🔒', 'lock'], ['🔓', 'unlock'], ['👁', 'view'], ['🏠 ⌂', 'home'], ['🛒', 'cart'], ['🔔', 'bell'], ['👤', 'user'], ['✉ 📧', 'mail'], ['📎', 'attach'],
  ['📅 📆 🗓', 'calendar'], ['⏻ 🚪 ⎋', 'log out'], ['ℹ', 'info'], ['❓', 'help'], ['🔗', 'link'], ['📌', 'pin'], ['🚩 ⚑ ⚐', 'flag'], ['👍', 'like'],
  ['👎', 'dislike'], ['⏸', 'pause'], ['⏹', 'stop'], ['🗄 🗃', 'archive'], ['↶ ⮌ ⎌', 'undo'], ['↷', 'redo'], ['🌓 🌙 🌗', 'dark'], ['☀', 'light'],
]) for (const glyph of glyphs.split(' ')) if (!(glyph in GLYPHS)) GLYPHS[glyph] = words;

// Class prefixes of icon sets.
const SETS = lookup(`anticon bi bx bxl bxs cil codicon dashicons el-icon entypo fa feather fi flaticon glyphicon ic icofont icon icons i
  k-i la las lni lucide mat mdi mi octicon oi pi ph ri si ti typcn ui-icon uil wi zmdi`);
// Parts of a name that describe an icon's style rather than its meaning.
const LOOKS = lookup(`2x 3x 4x 5x animation big bold border brands btn button default dark duotone fill filled fixed fw icon icons ico img image
  inline inverse large left-pad light lg md medium mini only outline outlined pull pulse regular right-pad round rounded sharp size sm small
  solid spin stroke svg symbol thin wrapper xl xs xxl`);
const LIGATURES = /^material-(icons|symbols)/;
const PARTS = 12; // of a control that are looked at

// The words of a name such as `trash-alt`, `cart_add`, `TrashCan` or `x-lg`, without how it looks.
function iconWords(name) {
  let text = '';
  for (let i = 0; i < name.length; i += 1) {
    const code = charCodeAt(name, i);
    const isUpper = code >= 65 && code <= 90;
    const isLetter = isUpper || (code >= 97 && code <= 122) || code > 127;
    const isDigit = code >= 48 && code <= 57;
    const before = i > 0 ? charCodeAt(name, i - 1) : 0;
    text += isUpper && before >= 97 && before <= 122 ? ' ' + name[i] : isLetter || isDigit ? name[i] : ' ';
  }
  const words = stringSplit(fold(stringLower(text)), ' ');
  let found = '';
  for (let i = 0; i < words.length; i += 1) {
    const word = words[i];
    if (word === '' || (word === 'o' && i > 0) || word === 'icon' || word === 'icons' || word === 'ico' || word === 'svg' || regExpExec(/^\d+(px|x)?$|^(?=.*\d)[0-9a-f]{6,}$/, word)) continue;
    found += (found && ' ') + word;
  }
  return clip(found, 60);
}

// The name of a file without folders, ending and query.
function fileWords(address) {
  const inline = regExpExec(/^data:/, address);
  const file = inline ? null : regExpExec(/([^\/?#]+?)(?:\.[a-z]{2,5})?(?:[?#].*)?$/i, address);
  return file ? iconWords(file[1]) : '';
}

// The icon that a class names: `fa-trash`, `bi-x-lg`, `trash-icon`, or `trash icon` on an element of its own.
function classIcon(element, isPart) {
  const attribute = getAttribute(element, 'class');
  if (!attribute) return '';
  const classes = stringSplit(fold(attribute), ' ');
  let alone = '';
  let isIcon = false;
  for (let i = 0; i < classes.length; i += 1) {
    const name = classes[i];
    const lower = stringLower(name);
    if (lower === 'icon' || lower === 'icons') isIcon = true;
    else if (!LOOKS[lower]) alone += ' ' + name;
    const after = regExpExec(/^(el-icon|ui-icon|k-i|i-[a-z]+|[a-z]+?)[-_:]+(.+)$/i, name);
    if (after && (SETS[stringLower(after[1])] || stringStartsWith(after[1], 'i-')) && !LOOKS[stringLower(after[2])]) return iconWords(after[2]);
    const before = regExpExec(/^(.+?)[-_]*(?:[-_]ico|[-_]icon|Icon|[-_]icons)$/, name);
    if (before && !LOOKS[stringLower(before[1])] && !SETS[stringLower(before[1])]) return iconWords(before[1]);
  }
  return isIcon && isPart ? iconWords(alone) : '';
}

const isIconFont = (element) => {
  const classes = stringSplit(fold(getAttribute(element, 'class') || ''), ' ');
  for (let i = 0; i < classes.length; i += 1) if (regExpExec(LIGATURES, classes[i])) return true;
  return false;
};

// What an element itself says of the icon that it is.
function ownIcon(element, tag, isPart) {
  if (isIconFont(element)) return iconWords(fold(textContent(element) || '', 60));
  const data = getAttribute(element, 'data-icon') || getAttribute(element, 'data-lucide') || getAttribute(element, 'data-feather') || getAttribute(element, 'icon');
  if (data) return fileWords(data) || iconWords(data);
  if (tag === 'use') {
    const address = linkOf(element) || '';
    const mark = regExpExec(/#(.+)$/, address);
    return mark ? iconWords(withoutSet(mark[1])) : fileWords(address);
  }
  if (tag === 'img' || tag === 'input') return fileWords(getAttribute(element, 'src') || '');
  const named = classIcon(element, isPart);
  if (named || !isPart || tag !== 'svg') return named;
  return iconWords(withoutSet(getAttribute(element, 'id') || getAttribute(element, 'name') || getAttribute(element, 'data-testid') || ''));
}
function withoutSet(name) {
  const parts = regExpExec(/^([a-z]+)[-_:](.+)$/i, name);
  return parts && SETS[stringLower(parts[1])] ? parts[2] : name;
}

// What style draws: a mask or a background by its file, or a character before or after the content.
function drawnIcon(styleOf, element) {
  const names = ['mask-image', '-webkit-mask-image', 'background-image'];
  for (let i = 0; i < 3; i += 1) {
    const file = regExpExec(/url\(["']?([^"')]+)/, styleOf(names[i]) || '');
    const words = file ? fileWords(file[1]) : '';
    if (words) return words;
  }
  for (let i = 0; i < 2; i += 1) {
    const style = computedStyle(element, i === 0 ? '::before' : '::after');
    const content = styleValue(style, 'content');
    if (content === 'none' || content === 'normal' || content === '') continue;
    const file = regExpExec(/url\(["']?([^"')]+)/, content) || regExpExec(/url\(["']?([^"')]+)/, styleValue(style, 'mask-image') + styleValue(style, 'background-image'));
    const words = file ? fileWords(file[1]) : glyphIcon(fold(stringSlice(content, 1, -1)));
    if (words) return words;
  }
  return '';
}

// The word of a character that is a picture; selectors of its looks are left out.
function glyphIcon(text) {
  let plain = '';
  for (let i = 0; i < text.length; i += 1) if (charCodeAt(text, i) !== 0xfe0f && charCodeAt(text, i) !== 0xfe0e) plain += text[i];
  return GLYPHS[plain] || '';
}

function iconOf(element, tag, shown, styleOf) {
  if (FIELD[tag] && !(tag === 'input' && control(element, tag, 'type') === 'image')) return '';
  if (shown !== '') return glyphIcon(shown) || (regExpExec(/[\p{L}\p{N}]/u, shown) ? ligature(element, shown) : '');
  const parts = elementsWithin(element);
  const length = min(optionsLength(parts), PARTS);
  for (let i = 0; i < length; i += 1) {
    const part = optionsItem(parts, i);
    const name = ownIcon(part, localName(part), true);
    if (name) return name;
  }
  const own = ownIcon(element, tag, tag === 'svg');
  if (own) return own;
  for (let i = 0; i < length; i += 1) {
    const part = optionsItem(parts, i);
    const style = computedStyle(part);
    const name = drawnIcon((property) => styleValue(style, property), part);
    if (name) return name;
  }
  return drawnIcon(styleOf, element) || (isThreeDots(parts) ? 'more' : '');
}
// Whether a drawing is three dots and nothing else, by which people know a menu.
const isThreeDots = (parts) => {
  let dots = 0;
  for (let i = 0; i < optionsLength(parts) && i < PARTS; i += 1) {
    const tag = localName(optionsItem(parts, i));
    if (tag === 'circle') dots += 1;
    else if (SHAPE[tag] && tag !== 'g') return false;
  }
  return dots === 3;
};
const elementsWithin = (element) => elementsByTagWithin(element, '*');

// Text of an icon font names the picture that it draws; it is no text of the control where there is no other.
function ligature(element, shown) {
  if (shown.length > 40) return '';
  if (isIconFont(element)) return iconWords(shown);
  const part = queryOne(element, '[class*=material-icons],[class*=material-symbols]');
  return part && fold(textContent(part)) === shown ? iconWords(shown) : '';
}
