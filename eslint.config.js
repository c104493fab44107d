import js from "@eslint/js";
import globals from "globals";

export default [
  js.configs.recommended,
  {
    files: ["src/inarow/web/static/*.js", "src/inarow/adapters/*.js"],
    languageOptions: { globals: globals.browser, ecmaVersion: 2022 },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      curly: ["error", "multi-line", "consistent"],
      eqeqeq: "error",
      "no-console": "error",
      "no-eval": "error",
      "no-implied-eval": "error",
      "no-shadow": "error",
      "no-var": "error",
      "object-shorthand": "error",
      "prefer-const": "error",
    },
  },
  {
    // The pages ask their source; only a source knows where its answers come from.
    files: ["src/inarow/web/static/*.js"],
    ignores: ["src/inarow/web/static/source-*.js", "src/inarow/web/static/wasm-*.js"],
    rules: { "no-restricted-globals": ["error", "fetch", "Worker"] },
  },
  { files: ["src/inarow/web/static/header.js"], languageOptions: { sourceType: "script" } },
];
