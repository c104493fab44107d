// The error of a source that cannot answer.

export class Refused extends Error {
  /**
   * @param {string} what is wrong, in a sentence for people
   * @param {number} [at] the index of the wrong character, if there is one
   */
  constructor(what, at) {
    super(what);
    this.at = at;
  }
}
