// Saves a figure as it is seen. Plotly's own picture holds no font: another program, and the browser itself, would draw
// it in a wider one, and words would lie over each other. Here the page's font goes along. With Shift it is an SVG.

const PICTURE_SCALE = 2;
const EDGE = 16; // pixels around the figure: its title begins at its very edge
const LETTERS = /source sans/i;
const XML = new XMLSerializer();

function fontFaces() {
  const rules = [...document.styleSheets].flatMap((sheet) => {
    try {
      return [...sheet.cssRules].map((rule) => [rule, sheet.href ?? document.baseURI]);
    } catch {
      return []; // a sheet from elsewhere, as of an extension, cannot be read
    }
  });
  return rules.filter(
    ([rule]) =>
      rule instanceof CSSFontFaceRule &&
      LETTERS.test(rule.style.getPropertyValue("font-family")) &&
      rule.style.getPropertyValue("font-style") !== "italic",
  );
}

async function asData(address) {
  const blob = await (await fetch(address)).blob();
  return new Promise((done) => {
    const reader = new FileReader();
    reader.onload = () => done(reader.result);
    reader.readAsDataURL(blob);
  });
}

// The page's font as rules that need no other file; "" where it has none.
async function fontRules() {
  const made = fontFaces().map(async ([rule, base]) => {
    const found = /url\(["']?([^"')]+)/.exec(rule.style.getPropertyValue("src"));
    if (!found) return "";
    const [family, weight] = ["font-family", "font-weight"].map((name) => rule.style.getPropertyValue(name));
    const data = await asData(new URL(found[1], base));
    return `@font-face{font-family:${family};font-weight:${weight || "400"};src:url("${data}")}`;
  });
  return (await Promise.all(made)).join("");
}

// Plotly draws in layers, each a picture of its own: the marks, then title, legend and notes above them.
async function svgOf(figure) {
  const [marks, words] = figure.querySelectorAll("svg.main-svg");
  const whole = marks.cloneNode(true);
  const [width, height] = ["width", "height"].map((name) => Number(marks.getAttribute(name)) + 2 * EDGE);
  Object.entries({ width, height, viewBox: `${-EDGE} ${-EDGE} ${width} ${height}` }).forEach(([name, value]) =>
    whole.setAttribute(name, value),
  );
  whole.append(...words.cloneNode(true).childNodes);
  whole.querySelectorAll(".draglayer, .modebar").forEach((one) => one.remove());
  // Lines grow with a larger picture.
  whole.querySelectorAll('[style*="vector-effect"]').forEach((one) => one.style.removeProperty("vector-effect"));
  const make = (tag, attributes) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    Object.entries(attributes).forEach(([name, value]) => element.setAttribute(name, value));
    return element;
  };
  const style = make("style", {});
  style.textContent = await fontRules().catch(() => ""); // the picture counts more than its letters
  const ground = make("rect", { x: -EDGE, y: -EDGE, width, height, fill: getComputedStyle(marks).backgroundColor });
  whole.prepend(style, ground);
  return { text: XML.serializeToString(whole), width, height };
}

async function pngOf({ text, width, height }) {
  const image = new Image();
  const address = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
  try {
    image.src = address;
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [PICTURE_SCALE * width, PICTURE_SCALE * height];
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((done) => canvas.toBlob(done, "image/png"));
  } finally {
    URL.revokeObjectURL(address);
  }
}

async function savePicture(figure, asSvg) {
  const picture = await svgOf(figure);
  const content = asSvg ? new Blob([picture.text], { type: "image/svg+xml" }) : await pngOf(picture);
  const name = figure._context?.toImageButtonOptions?.filename ?? "figure";
  const address = URL.createObjectURL(content);
  Object.assign(document.createElement("a"), { href: address, download: `${name}.${asSvg ? "svg" : "png"}` }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

// Takes the click on a figure's only button before Plotly does.
function hearPictures(signal) {
  const onClick = (event) => {
    const button = event.target instanceof Element ? event.target.closest(".modebar-btn") : null;
    const figure = button?.closest(".js-plotly-plot");
    if (!figure) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    savePicture(figure, event.shiftKey);
  };
  window.addEventListener("click", onClick, { capture: true, signal });
}
