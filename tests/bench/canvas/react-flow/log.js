/** Changes in a database, in their order. */
export class Log {
  #database;

  static async open() {
    const log = new Log();
    log.#database = await new Promise((done, fail) => {
      const request = indexedDB.open("editor", 1);
      request.onupgradeneeded = () => request.result.createObjectStore("log", { autoIncrement: true });
      request.onsuccess = () => done(request.result);
      request.onerror = () => fail(request.error);
    });
    return log;
  }

  add(change) {
    this.#database.transaction("log", "readwrite").objectStore("log").add(change);
  }
}
