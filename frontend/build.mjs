// Builds the page as one file: node build.mjs [FILE], by default where the package expects it.
import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const target = process.argv[2] ?? join(here, "../src/splitsecond/_sets/explorer.html");
const options = { bundle: true, minify: true, write: false, target: "es2022", charset: "utf8", legalComments: "none" };

const bundled = async (name) => {
  const result = await build({ ...options, entryPoints: [join(here, "src", name)], format: "iife" });
  return result.outputFiles[0].text.trim();
};
const page = await readFile(join(here, "src/page.html"), "utf8");
const [style, script] = await Promise.all([bundled("style.css"), bundled("main.ts")]);
if (script.includes("</script") || style.includes("</style")) throw new Error("The code would end its own element.");
// Functions, as texts may hold $.
await writeFile(target, page.replace("@STYLE@", () => style).replace("@SCRIPT@", () => script));
