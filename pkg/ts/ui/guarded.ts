/** A function of the program that ends no message: where it throws, `instead` answers, and the console has why, once. */
export function guarded<Given, Said>(name: string, call: (given: Given) => Said, instead: (given: Given) => Said): (given: Given) => Said {
  let hasThrown = false;
  return (given) => {
    try {
      return call(given);
    } catch (thrown) {
      if (!hasThrown) report(name, thrown);
      hasThrown = true;
      return instead(given);
    }
  };
}

/** Says on the console what an option of a message stream threw: its reader learns nothing of it, or no more than is public. */
export function report(name: string, thrown: unknown): void {
  console.error(`stepweave: the option \`${name}\` of a message stream threw:`, thrown);
}
