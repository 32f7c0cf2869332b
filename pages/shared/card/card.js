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

export default function ({ data, parentElement }) {
  let button = parentElement.querySelector("button");
  if (!button) {
    button = Object.assign(document.createElement("button"), { type: "button" });
    parentElement.append(button);
  }
  button.textContent = data.label;
  button.onclick = () => save(data);
}
