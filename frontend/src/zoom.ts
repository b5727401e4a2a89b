// A picture that fits its pane, and can be zoomed and moved by mouse, touch and keys.
import { button, h } from "./dom";
import { Drawing } from "./drawing";

const STEP = 1.25;
const MAX_ZOOM = 12;

export interface Pane {
  element: HTMLElement;
  caption: HTMLElement;
  show: (draw: (width: number, height: number) => Drawing) => void;
}

export function zoomable(label: string): Pane {
  const stage = h("div", { class: "stage", tabindex: 0, role: "group", "aria-label": `${label}; plus and minus zoom, arrows move, 0 fits` });
  let drawing: Drawing | null = null;
  let zoom = 1;
  let x = 0; // of the middle, as a share of the picture
  let y = 0;

  const apply = () => {
    if (!drawing) return;
    const [left, top, width, height] = [-14, -14, drawing.width, drawing.height];
    const w = width / zoom;
    const hgt = height / zoom;
    drawing.svg.setAttribute("viewBox", `${left + (width - w) / 2 + x * width} ${top + (height - hgt) / 2 + y * height} ${w} ${hgt}`);
    stage.dataset.zoom = zoom.toFixed(3);
    stage.classList.toggle("is-zoomed", zoom > 1);
  };
  const limit = (value: number) => Math.max(-0.5, Math.min(0.5, value));
  const zoomBy = (factor: number) => {
    zoom = Math.max(1, Math.min(MAX_ZOOM, zoom * factor));
    if (zoom === 1) x = y = 0;
    apply();
  };
  const moveBy = (dx: number, dy: number) => {
    if (zoom === 1) return;
    x = limit(x + dx / zoom);
    y = limit(y + dy / zoom);
    apply();
  };
  const fit = () => {
    zoom = 1;
    x = y = 0;
    apply();
  };
  listen(stage, { zoomBy, moveBy, fit, isZoomed: () => zoom > 1 });

  const caption = h("span", { class: "caption" });
  const tools = h(
    "div",
    { class: "zoom-tools" },
    caption,
    button("−", () => zoomBy(1 / STEP), { "aria-label": "Zoom out" }),
    button("Fit", fit, { "aria-label": "Fit the tree into the pane" }),
    button("+", () => zoomBy(STEP), { "aria-label": "Zoom in" }),
  );
  return {
    element: h("div", { class: "pane" }, tools, stage),
    caption,
    show(draw) {
      drawing = draw(Math.max(200, stage.clientWidth), Math.max(160, stage.clientHeight));
      stage.replaceChildren(drawing.svg);
      fit();
    },
  };
}

interface Moves {
  zoomBy: (factor: number) => void;
  moveBy: (dx: number, dy: number) => void;
  fit: () => void;
  isZoomed: () => boolean;
}

function listen(stage: HTMLElement, moves: Moves): void {
  const keys: Record<string, () => void> = {
    "+": () => moves.zoomBy(STEP),
    "=": () => moves.zoomBy(STEP),
    "-": () => moves.zoomBy(1 / STEP),
    "0": moves.fit,
    ArrowLeft: () => moves.moveBy(-0.1, 0),
    ArrowRight: () => moves.moveBy(0.1, 0),
    ArrowUp: () => moves.moveBy(0, -0.1),
    ArrowDown: () => moves.moveBy(0, 0.1),
  };
  stage.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
    if (event.key.startsWith("Arrow") && !moves.isZoomed()) return; // the page scrolls
    event.preventDefault();
    keys[event.key]();
  });
  // Without Ctrl the wheel scrolls the page; a pinch on a touchpad comes with Ctrl.
  stage.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    moves.zoomBy(event.deltaY < 0 ? STEP : 1 / STEP);
  }, { passive: false });
  const down = new Map<number, PointerEvent>();
  const spread = () => {
    const [a, b] = [...down.values()];
    return Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
  };
  stage.addEventListener("pointerdown", (event) => {
    down.set(event.pointerId, event);
    if (moves.isZoomed()) stage.setPointerCapture(event.pointerId);
  });
  stage.addEventListener("pointermove", (event) => {
    const last = down.get(event.pointerId);
    if (!last) return;
    const before = down.size === 2 ? spread() : 0;
    down.set(event.pointerId, event);
    if (before > 0) moves.zoomBy(spread() / before);
    else if (down.size === 1)
      moves.moveBy((last.clientX - event.clientX) / stage.clientWidth, (last.clientY - event.clientY) / stage.clientHeight);
  });
  for (const end of ["pointerup", "pointercancel", "pointerleave"] as const)
    stage.addEventListener(end, (event) => down.delete(event.pointerId));
}
