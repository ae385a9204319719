/** Why an operation, or a part of it, cannot be said as a request. It is thrown where that is found, and listed where a person looks. */
export class LeftOut extends Error {
  constructor(readonly reason: string) {
    super(reason);
  }
}
