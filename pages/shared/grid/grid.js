// Says which mark of a grid was clicked or chosen by keyboard. The grid itself is plain HTML on the page; every mark in
// it is a button that carries its numbers. In a table one mark is reached by Tab, the others by arrow keys. Elsewhere
// marks are links, each reached by Tab: they lead on before this script is there, and into another tab where asked to.

const STEPS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

const MARK = ":is(button, a)[data-pick]";
const marksOf = (grid) => [...grid.querySelectorAll(MARK)];
const inTable = (mark) => Boolean(mark?.closest("tr"));
const placeOf = (mark) => [mark.closest("tr").rowIndex, mark.closest("td").cellIndex];

// The nearest mark in a direction: in the same row the next one, else the one closest to this column.
function nextMark(grid, mark, [down, right]) {
  const [row, column] = placeOf(mark);
  const ahead = marksOf(grid).filter((one) => {
    const [r, c] = placeOf(one);
    return down ? (r - row) * down > 0 : r === row && (c - column) * right > 0;
  });
  const far = (one) => {
    const [r, c] = placeOf(one);
    return Math.abs(r - row) * 1000 + Math.abs(c - column);
  };
  return ahead.sort((a, b) => far(a) - far(b))[0];
}

function focus(grid, mark) {
  for (const one of marksOf(grid)) one.tabIndex = one === mark ? 0 : -1;
  mark.focus();
}

// Streamlit calls again without the way back of the call before, as when the theme changes: the last call alone listens.
const listening = new Map();

export default function ({ data, setTriggerValue }) {
  listening.get(data.name)?.abort();
  const stop = new AbortController();
  listening.set(data.name, stop);
  const gridOf = () => document.querySelector(`[data-grid="${CSS.escape(data.name)}"]`);
  const markOf = (event) => {
    const mark = event.target.closest?.(MARK);
    return mark && gridOf()?.contains(mark) ? mark : null;
  };
  // In a table of rows a click anywhere in a row is one on its mark, unless words were being selected.
  const markOfRow = (event) => {
    const row = event.target.closest?.(".rm-rows tbody tr");
    return row && gridOf()?.contains(row) && !String(window.getSelection()) ? row.querySelector("button[data-pick]") : null;
  };
  const onClick = (event) => {
    const mark = markOf(event) ?? markOfRow(event);
    const elsewhere = mark?.tagName === "A" && (event.ctrlKey || event.metaKey || event.shiftKey);
    if (!mark || elsewhere) return;
    event.preventDefault();
    // A mark outside a table opens another page: whoever comes back begins at the top.
    if (inTable(mark)) window.microscopeMark = { grid: data.name, pick: mark.dataset.pick };
    setTriggerValue("pick", mark.dataset.pick);
  };
  const onKey = (event) => {
    const mark = markOf(event);
    if (!inTable(mark) || !STEPS[event.key]) return;
    event.preventDefault();
    const next = nextMark(gridOf(), mark, STEPS[event.key]);
    if (next) focus(gridOf(), next);
  };
  // A box of rows ends below its last whole row, and shades its edge while there are more.
  const shade = (box) => box.classList.toggle("rm-more", box.scrollHeight - box.scrollTop - box.clientHeight > 2);
  const fit = () => {
    const box = gridOf()?.closest(".rm-rows");
    if (!box?.style.maxHeight) return;
    const most = Number((box.dataset.most ??= parseFloat(box.style.maxHeight)));
    const around = box.offsetHeight - box.clientHeight;
    const ends = [...box.querySelectorAll("tbody tr")].map((row) => row.offsetTop + row.offsetHeight + around);
    const whole = ends.filter((end) => end <= most).at(-1);
    box.style.maxHeight = `${whole && ends.at(-1) > most ? whole : most}px`;
    shade(box);
  };
  // A chosen row comes into view.
  let seen = null;
  const show = () => {
    const row = gridOf()?.querySelector(".rm-picked-row");
    const box = row?.closest(".rm-rows");
    if (box && row !== seen) {
      const [top, bottom] = [row.offsetTop - 40, row.offsetTop + row.offsetHeight];
      if (top < box.scrollTop) box.scrollTop = top;
      else if (bottom > box.scrollTop + box.clientHeight) box.scrollTop = bottom - box.clientHeight;
    }
    seen = row;
  };
  // A choice draws the grid anew: the mark that was chosen keeps the focus at once. Where rows end is asked once a
  // drawing: a page with several grids would be laid out anew at every change of any part.
  let asked = 0;
  const settle = () => {
    const marks = gridOf() ? marksOf(gridOf()) : [];
    const last = window.microscopeMark;
    const held = last?.grid === data.name && marks.find((one) => one.dataset.pick === last.pick);
    if (held && document.activeElement === document.body) focus(gridOf(), held);
    else if (marks.length && !marks.some((one) => one.tabIndex === 0)) marks[0].tabIndex = 0;
    asked ||= requestAnimationFrame(() => {
      asked = 0;
      fit();
      show();
    });
  };
  const watch = new MutationObserver(settle);
  watch.observe(document.body, { childList: true, subtree: true });
  settle();
  document.addEventListener("click", onClick, { signal: stop.signal });
  document.addEventListener("keydown", onKey, { signal: stop.signal });
  window.addEventListener("resize", fit, { signal: stop.signal });
  const onScroll = (event) => event.target.classList?.contains("rm-rows") && shade(event.target);
  document.addEventListener("scroll", onScroll, { capture: true, signal: stop.signal });
  stop.signal.addEventListener("abort", () => {
    watch.disconnect();
    cancelAnimationFrame(asked);
  });
  return () => stop.abort();
}
