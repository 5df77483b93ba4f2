// Runs the `curl` lines of a document with `fetch`: what they send, the status that each one documents, and the few
// options that they use.

export interface CurlLine {
  words: string[];
  /** The comment at the end of the line: a status, or "no answer". */
  outcome: string;
}

/** The lines that begin with `curl` in the shell blocks of a document; a backslash at the end continues the line. */
export function curlLinesOf(markdown: string, variables: Readonly<Record<string, string>>): CurlLine[] {
  const blocks = [...markdown.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, text = ""]) => text);
  const lines = blocks.flatMap((text) => text.replaceAll(/\\\n\s*/g, "").split("\n"));
  return lines
    .filter((line) => line.startsWith("curl "))
    .map((line) => {
      const [command = "", outcome = ""] = line.split(/ # (?=[^#]*$)/);
      return { words: wordsOf(command, variables), outcome };
    });
}

/** Splits a line as a shell does: single quotes keep everything, double quotes all but variables. */
function wordsOf(command: string, variables: Readonly<Record<string, string>>): string[] {
  return [...command.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)].map(([word]) =>
    word.replaceAll(
      /'([^']*)'|"([^"]*)"|([^'"]+)/g,
      (_, single?: string, double?: string, bare?: string) =>
        single ?? (double ?? bare ?? "").replaceAll(/\$(\w+)/g, (_all, name: string) => valueOf(name, variables)),
    ),
  );
}

function valueOf(name: string, variables: Readonly<Record<string, string>>): string {
  const value = variables[name];
  if (value === undefined) throw new Error(`the document uses $${name}, which nothing sets`);
  return value;
}

/** Sends a line; the result is the status, or "no answer", and the body. `files` stands for the folder. */
export async function runCurl(
  { words }: CurlLine,
  files: Map<string, string>,
): Promise<{ outcome: string; text: string }> {
  let url = "";
  let output = "";
  const request: { method?: string; body?: string; headers: Record<string, string> } = { headers: {} };
  for (let index = 1; index < words.length; index += 1) {
    const word = words[index] ?? "";
    if (!word.startsWith("-")) {
      url = word;
      continue;
    }
    index += 1;
    const value = words[index] ?? "";
    if (word === "--oauth2-bearer") request.headers["authorization"] = `Bearer ${value}`;
    else if (word === "-X") request.method = value;
    else if (word === "-o") output = value;
    else if (word === "--json") {
      request.body = value.startsWith("@") ? (files.get(value.slice(1)) ?? "") : value;
      request.headers["content-type"] = "application/json";
      request.method ??= "POST";
    } else throw new Error(`no test knows the option ${word} of curl`);
  }
  try {
    const response = await fetch(url, request);
    const text = await response.text();
    if (output !== "") files.set(output, text);
    return { outcome: String(response.status), text };
  } catch {
    return { outcome: "no answer", text: "" };
  }
}
