// What is at the top of every page: light or dark, which is as the system is set unless chosen, and the language.
// Runs before the first paint.
"use strict";
{
  const root = document.documentElement;
  const stored = () => {
    try {
      return localStorage.getItem("theme");
    } catch {
      return null; // private windows may refuse
    }
  };
  const dark = () =>
    root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  const chosen = stored();
  if (chosen === "light" || chosen === "dark") root.dataset.theme = chosen;
  addEventListener("DOMContentLoaded", () => {
    // The same game in another language.
    for (const link of document.querySelectorAll(".languages a")) {
      link.addEventListener("click", () => {
        /** @type {HTMLAnchorElement} */ (link).search = location.search;
      });
    }
    document.getElementById("theme")?.addEventListener("click", () => {
      root.dataset.theme = dark() ? "light" : "dark";
      try {
        localStorage.setItem("theme", root.dataset.theme);
      } catch {
        // the choice then lasts as long as the page
      }
    });
  });
}
