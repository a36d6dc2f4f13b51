// Score pairs with Dolos: `node dolos_scores.mjs HOME REQUEST ANSWER`, where HOME/node_modules has @dodona/dolos-lib.
// Dolos compares files of one language at a time. A language that it has no parser for is compared by characters.
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { extname } from "node:path";
import { pathToFileURL } from "node:url";

const LANGUAGES = {
  ".c": "c", ".cpp": "cpp", ".cs": "c-sharp", ".java": "java", ".js": "javascript", ".py": "python", ".py3": "python",
};

const [home, request, answer] = process.argv.slice(2);
const { Dolos } = await import(pathToFileURL(createRequire(`${home}/`).resolve("@dodona/dolos-lib")));
const asked = JSON.parse(readFileSync(request, "utf-8"));

const byLanguage = new Map();
for (const path of [...asked.new, ...asked.archive]) {
  const language = LANGUAGES[extname(path)] ?? "char";
  byLanguage.set(language, [...(byLanguage.get(language) ?? []), path]);
}
const fresh = new Set(asked.new);
const pairs = [];
for (const [language, paths] of byLanguage) {
  if (paths.length < 2) continue;
  const report = await new Dolos({ language }).analyzePaths(paths, asked.base[0]);
  for (const { leftFile, rightFile, similarity } of report.allPairs()) {
    if (similarity > 0 && (fresh.has(leftFile.path) || fresh.has(rightFile.path))) {
      pairs.push([leftFile.path, rightFile.path, similarity]);
    }
  }
}
writeFileSync(answer, JSON.stringify(pairs));
