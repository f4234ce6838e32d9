// A text and how far it is read: the base of the parsers.

/** Text that is no layout; the message shows it with a caret where reading stopped. */
class LayoutSyntaxError extends LayoutError {
  constructor(what, text, position) {
    const line = text.replace(/\s/g, " ");
    super(`${what}\n    ${line}\n${" ".repeat(4 + position)}^`);
    this.position = position;
  }
}

class Cursor {
  number = /^-?[0-9]+$/;

  constructor(text, words = /-?[0-9]+|[A-Za-z_][A-Za-z0-9_]*|\S/gu) {
    this.text = text;
    this.words = [...text.matchAll(words)].map((match) => ({ word: match[0], at: match.index }));
    this.words = this.words.filter(({ word }) => !/^(\/\/|\/\*[^]*\*\/$)/.test(word));
    this.words.push({ word: "", at: text.length });
    this.at = 0;
  }

  get word() {
    return this.words[this.at].word;
  }

  /** The word after the next, "" at the end. */
  get following() {
    return this.words[this.at + 1]?.word ?? "";
  }

  advance() {
    this.at++;
  }

  error(what, at = this.at) {
    return new LayoutSyntaxError(what, this.text, this.words[at].at);
  }

  expected(what) {
    const found = this.word.length > 24 ? `${this.word.slice(0, 24)}...` : this.word;
    return this.error(`expected ${what}, found ${found ? `'${found}'` : "the end of the text"}`);
  }

  expect(word) {
    if (this.word !== word) throw this.expected(`'${word}'`);
    this.advance();
  }

  /** Read this word if it is the next; whether it was. */
  skip(word) {
    if (this.word !== word) return false;
    this.advance();
    return true;
  }

  integer(what = "an integer") {
    if (!this.number.test(this.word)) throw this.expected(what);
    const number = Number(this.word.replace("_", ""));
    if (Math.abs(number) > MOST) throw this.error(`${this.word} lies beyond ${MOST}, up to which this page counts exactly`);
    this.advance();
    return number;
  }

  /** opening [rule {"," rule}] closing */
  listed(opening, rule, closing, trails = false) {
    this.expect(opening);
    const items = [];
    if (this.skip(closing)) return items;
    do items.push(rule()); while (this.skip(",") && !(trails && this.word === closing));
    if (this.word !== closing) throw this.expected(`',' or '${closing}'`);
    this.advance();
    return items;
  }

  parenthesised(rule) {
    this.expect("(");
    const value = rule();
    this.expect(")");
    return value;
  }

  finish() {
    if (this.word) throw this.expected("the end of the text");
  }

  /** What is made, with the caret under word number `at` where it cannot be. */
  made(at, make) {
    try {
      return make();
    } catch (error) {
      if (error instanceof LayoutError && !(error instanceof LayoutSyntaxError)) throw this.error(error.message, at);
      throw error;
    }
  }
}
