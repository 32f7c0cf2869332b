// Saves a run's card as a picture of twice its size. The browser draws the SVG, with the fonts it has.

const SCALE = 2;

async function pictureOf(svg) {
  const address = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [SCALE * image.naturalWidth, SCALE * image.naturalHeight];
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((done) => canvas.toBlob(done, "image/png"));
  } finally {
    URL.revokeObjectURL(address);
  }
}

async function save({ svg, name }) {
  const address = URL.createObjectURL(await pictureOf(svg));
  const link = Object.assign(document.createElement("a"), { href: address, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

// An arrow onto a line, as on the other buttons that save a file.
const ICON = "M8 2v8M4.5 7 8 10.5 11.5 7M3 13.5h10";

function drawn(tag, attributes) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  Object.entries(attributes).forEach(([name, value]) => element.setAttribute(name, value));
  return element;
}

function icon() {
  const picture = drawn("svg", { viewBox: "0 0 16 16", width: 16, height: 16, "aria-hidden": "true" });
  picture.append(drawn("path", { d: ICON, fill: "none", stroke: "currentColor", "stroke-width": 1.5 }));
  return picture;
}

export default function ({ data, parentElement }) {
  let button = parentElement.querySelector("button");
  if (!button) {
    button = Object.assign(document.createElement("button"), { type: "button" });
    parentElement.append(button);
  }
  button.replaceChildren(icon(), data.label);
  button.onclick = () => save(data);
}
