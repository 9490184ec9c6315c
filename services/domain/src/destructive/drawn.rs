//! Words for drawings of data, and for lists that are narrowed in scripts without spaces: taking something off them harms nothing.

/// Drawings of data, from which something may be left out.
const DRAWN: [&str; 24] = [
    "chart",
    "legend",
    "graph",
    "plot",
    "map",
    "view",
    "grafen",
    "grafiek",
    "diagramm",
    "diagram",
    "gráfico",
    "grafico",
    "graphique",
    "wykresu",
    "wykres",
    "karte",
    "kaart",
    "mapa",
    "mappa",
    "mapy",
    "ansicht",
    "weergave",
    "vista",
    "графика",
];
/// What stands between what is left out and the drawing.
const OUT_OF: [&str; 22] = [
    "from", "fra", "från", "aus", "uit", "van", "von", "auf", "del", "de", "du", "da", "dal", "dalla", "do", "z", "ze",
    "der", "la", "le", "el", "с",
];

/// Whether two words say that something is left out of a drawing: `from chart`.
pub(super) fn is_out_of(pair: &[&str]) -> bool {
    matches!(pair, [from, drawing] if OUT_OF.contains(from) && DRAWN.contains(drawing))
}

/// Whether a text takes away what narrows a list, in scripts that put no spaces between words: both the verb and what is narrowed are
/// said, and little else.
pub(super) fn takes_unspaced(text: &str) -> bool {
    const VERBS: [&str; 12] =
        ["清空", "清除", "重置", "取消", "クリア", "リセット", "解除", "消去", "초기화", "지우기", "해제", "ล้าง"];
    const OF_VIEW: [&str; 14] = [
        "筛选",
        "篩選",
        "过滤",
        "搜索",
        "搜尋",
        "排序",
        "絞り込み",
        "検索",
        "フィルタ",
        "並べ替え",
        "필터",
        "검색",
        "정렬",
        "ตัวกรอง",
    ];
    // What is kept of searches is data.
    const KEPT: [&str; 8] = ["记录", "記錄", "历史", "歷史", "保存", "履歴", "기록", "저장"];
    let says = |list: &[&str]| list.iter().any(|word| text.contains(word));
    text.chars().count() <= 14 && says(&VERBS) && says(&OF_VIEW) && !says(&KEPT)
}
