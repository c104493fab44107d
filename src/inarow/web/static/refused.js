// The error of a source that cannot answer.

export class Refused extends Error {
  /**
   * @param {string} what is wrong, in a sentence for people
   * @param {number} [at] the index of the wrong character, if there is one
   * @param {boolean} [temporary] whether the same request may be answered later
   */
  constructor(what, at, temporary = false) {
    super(what);
    this.at = at;
    this.temporary = temporary;
  }
}
