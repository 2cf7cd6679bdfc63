// On a narrow screen the rows of a table become cards (cards.css): each cell then needs the name of its column.
// Roles are stated, for a table whose parts are laid out as blocks is no table any more to a screen reader.
(() => {
  const named = (table) => {
    const names = [...table.querySelectorAll(":scope > thead th")].map((cell) => cell.textContent.trim());
    const say = (element, role) => element.getAttribute("role") || element.setAttribute("role", role);
    say(table, "table");
    for (const part of table.querySelectorAll(":scope > thead, :scope > tbody")) say(part, "rowgroup");
    for (const row of table.querySelectorAll(":scope > thead > tr, :scope > tbody > tr")) say(row, "row");
    for (const cell of table.querySelectorAll(":scope > thead > tr > th")) say(cell, "columnheader");
    for (const row of table.querySelectorAll(":scope > tbody > tr")) {
      const cells = [...row.children];
      cells.forEach((cell, place) => {
        say(cell, cell.tagName === "TH" ? "rowheader" : "cell");
        const name = cells.length === names.length && place > 0 ? names[place] : "";
        if (cell.dataset.label !== name) cell.dataset.label = name;
      });
    }
  };
  let due = false;
  const look = () => {
    due = false;
    for (const table of document.querySelectorAll("table.plain")) named(table);
  };
  const soon = () => {
    if (!due) requestAnimationFrame(look);
    due = true;
  };
  new MutationObserver(soon).observe(document.documentElement, { childList: true, subtree: true });
  soon();
})();
