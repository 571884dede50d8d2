// A vitest reporter that writes each failed test, its name and its error's lines, to the file that FAILURES_FILE names.
// Vitest's own JSON report leaves out failed hooks, unhandled errors and differences.

import { writeFileSync } from "node:fs";
import { relative } from "node:path";
import { root } from "./report.mjs";

export default class FailureReporter {
  onTestRunEnd(modules, unhandled) {
    const failures = [...modules].flatMap((module) => {
      const path = relative(root, module.moduleId);
      const suites = [...module.children.allSuites()];
      const tests = [...module.children.allTests("failed")];
      return [
        { name: path, errors: module.errors() },
        ...suites.map((suite) => ({ name: `${path} > ${suite.fullName}`, errors: suite.errors() })),
        ...tests.map((test) => ({ name: `${path} > ${test.fullName}`, errors: test.result().errors ?? [] })),
      ];
    });
    const failed = [...failures, { name: "Outside of any test", errors: unhandled }].filter(
      ({ errors }) => errors.length > 0,
    );
    const told = failed.map(({ name, errors }) => ({ name, lines: errors.flatMap(linesOf) }));
    writeFileSync(process.env.FAILURES_FILE, JSON.stringify(told));
  }
}

/** The first line of the message, where it came from in our own files, and the rest. */
function linesOf({ name, message = "", diff = "", stacks = [] }) {
  const [first, ...rest] = `${name ?? "Error"}: ${message}`.split("\n");
  const frames = stacks
    .filter(({ file }) => file.startsWith(root) && !file.includes("node_modules"))
    .map(({ file, line, column }) => `at ${relative(root, file)}:${line}:${column}`);
  return [first, ...frames.slice(0, 3), ...diff.split("\n"), ...rest];
}
