// Shows every page of a site in a frame, at each width and in each scheme of colours, and sends what
// it found to the server, page by page. `WANTED` are lists of a name, widths, and what is done there:
// "measure" (with clicks on the buttons of a site), "size" (without), "bare" (without scripts) or
// "axe". `AXE` is the text of axe-core, or empty.
"use strict";

const SCHEMES = ["light", "dark"];

async function visit(name, widths, task) {
  const frame = document.createElement("iframe");
  if (task === "bare") frame.sandbox = "allow-same-origin";
  frame.style.cssText = `width:${widths[0]}px;height:900px;border:0;color-scheme:light`;
  document.body.append(frame);
  await new Promise((done) => { frame.onload = done; frame.src = name; });
  const page = frame.contentDocument, view = frame.contentWindow;
  if (task === "axe") stand(page);
  const found = [];
  for (const width of widths) {
    frame.style.width = `${width}px`;
    // The event itself would come with the next frame that is drawn.
    if (task !== "bare") view.dispatchEvent(new view.Event("resize"));
    for (const scheme of SCHEMES) {
      frame.style.colorScheme = scheme;
      const what = task === "axe" ? {faults: await faults(page, view, scheme)} : measure(page, view);
      if (task === "bare") what.unseen = unseen(page);
      found.push({name, width, scheme, task, ...what});
    }
  }
  if (task === "measure") Object.assign(found[0], act(page, view));
  frame.remove();
  return found;
}

function measure(page, view) {
  const root = page.documentElement;
  const right = root.clientWidth;
  const shown = [...page.querySelectorAll("math")].filter((m) => m.checkVisibility());
  const loose = (node) => {
    // What holds the page's text may not scroll: then the page would.
    for (let p = node; p && !p.matches("main, article, .bd-article-container"); p = p.parentElement)
      if (["auto", "scroll", "hidden"].includes(view.getComputedStyle(p).overflowX)) return false;
    return true;
  };
  return {
    overflow: root.scrollWidth - right,
    // Without what the frame itself is high.
    tall: page.body.getBoundingClientRect().height,
    outside: [...page.querySelectorAll("main *")].filter(
      (n) => n.getBoundingClientRect().right > right + 1 && n.checkVisibility() && loose(n)).length,
    cut: [...page.querySelectorAll("body *")].filter((n) => cuts(n, view))
      .map((n) => `${n.tagName}.${n.className}: ${n.textContent.trim().slice(0, 40)}`),
    // Tables of which a part is seen only if one moves it.
    moved: [...page.querySelectorAll(".pst-scrollable-table-container")]
      .filter((n) => n.scrollWidth > n.clientWidth + 1 && n.checkVisibility())
      .map((n) => n.textContent.trim().slice(0, 40)),
    math: shown.length,
    clipped: shown.filter((m) => clips(m, view)).length,
    flat: shown.filter((m) => m.getBoundingClientRect().height < 4).length,
    drawn: shown.filter((m) => view.getComputedStyle(m).display.includes("math")).length,
    background: view.getComputedStyle(page.body).backgroundColor,
    font: parseFloat(view.getComputedStyle(page.body).fontSize),
    desk: [...page.querySelectorAll(".desk")].filter((n) => n.checkVisibility()).length,
    phone: [...page.querySelectorAll(".phone")].filter((n) => n.checkVisibility()).length,
    styled: view.getComputedStyle(page.querySelector("main")).maxWidth,
  };
}

// An element hides a part of its width.
function cuts(node, view) {
  return node.clientWidth > 1 && node.scrollWidth > node.clientWidth + 1 && node.checkVisibility() &&
    ["hidden", "clip"].includes(view.getComputedStyle(node).overflowX);
}

// A formula reaches beyond something that neither scrolls nor shows it.
function clips(math, view) {
  const right = math.getBoundingClientRect().right;
  for (let p = math.parentElement; p; p = p.parentElement) {
    const over = view.getComputedStyle(p).overflowX;
    if (over === "auto" || over === "scroll") return false;
    if (over !== "visible" && right > p.getBoundingClientRect().right + 1) return true;
  }
  return false;
}

// What has text and is not shown, though nothing that one can open holds it.
function unseen(page) {
  const mine = "script, details:not([open]) *, annotation, .desk, .desk *, .phone, .phone *, " +
    ".folds, .folds *, .skip";
  return [...page.querySelectorAll("body *")]
    .filter((n) => n.textContent.trim() && !n.matches(mine) && !n.checkVisibility())
    .map((n) => `${n.tagName}.${n.className}: ${n.textContent.trim().slice(0, 40)}`);
}

// Boxes in place of formulas, within which nothing has a role or a colour of its own: of hundreds of
// thousands of elements axe would ask a dozen times.
function stand(page) {
  const formulas = [...page.querySelectorAll("math")];
  const sizes = formulas.map((math) => math.getBoundingClientRect());
  formulas.forEach((math, n) => {
    const box = page.createElement("span");
    box.style.cssText = `display:inline-block;width:${sizes[n].width}px;height:${sizes[n].height}px`;
    box.textContent = "x";
    math.replaceWith(box);
  });
}

// Only contrast differs between the schemes.
async function faults(page, view, scheme) {
  if (!view.axe) {
    const script = page.createElement("script");
    script.textContent = AXE;
    page.head.append(script);
  }
  const only = scheme === "light" ? {} : {runOnly: ["color-contrast"]};
  const {violations} = await view.axe.run({resultTypes: ["violations"], elementRef: false, ...only});
  return violations.map((v) => `${v.id}: ${v.nodes.length} times, as ${v.nodes[0].html.slice(0, 120)}`);
}

function act(page, view) {
  const steps = "#proof ~ details[open], #proof ~ * details[open]";
  const open = () => page.querySelectorAll(steps).length;
  const buttons = page.querySelectorAll(".folds button");
  const result = {open: open()};
  if (buttons.length) {
    buttons[1].click(); result.folded = open();
    buttons[0].click(); result.unfolded = open();
  }
  // What rests on most is lit with the way down to it; a second click puts that out.
  const nodes = [...page.querySelectorAll(".graph .node")];
  if (nodes.length) {
    const click = (n) => n.dispatchEvent(new view.MouseEvent("click", {bubbles: true}));
    const on = () => page.querySelectorAll(".edges .on").length;
    result.marked = Math.max(...nodes.map((n) => {
      click(n);
      const count = on();
      click(n);
      return count;
    }));
    result.left = on();
    const many = page.querySelector(".map .count")?.parentElement;
    if (many) {
      many.dispatchEvent(new view.MouseEvent("dblclick", {bubbles: true}));
      result.opened = page.querySelectorAll(".graph .node").length - nodes.length;
    }
  }
  const search = page.querySelector(".search input");
  const ask = (query) => {
    search.value = query;
    search.dispatchEvent(new view.Event("input"));
    return [...page.querySelectorAll(".results a")].map((a) => a.getAttribute("href"));
  };
  result.found = [ask("lem18ii")[0], ask("fubini").length, ask("no such thing").length];
  ask("");
  const status = page.querySelector(".filters select");
  if (status) {
    const every = [...page.querySelectorAll("tr[data-status]")];
    const rows = () => [...page.querySelectorAll("tr[data-status]")].filter((r) => !r.hidden);
    const first = () => rows().map((r) => r.cells[3].textContent);
    page.querySelectorAll(".sort")[3].click();
    result.sorted = first();
    page.querySelectorAll(".sort")[3].click();
    page.querySelectorAll(".sort")[3].click();
    every[0].dataset.status = "open";
    status.value = "proved"; status.dispatchEvent(new view.Event("change"));
    result.all = rows().length;
  }
  return result;
}

(async () => {
  const send = (body) => fetch("/found", {method: "POST", body: JSON.stringify(body)});
  try {
    for (const wanted of WANTED) await send(await visit(...wanted));
    await send("end");
  } catch (problem) {
    await send(`${problem.stack ?? problem}`);
  }
})();
