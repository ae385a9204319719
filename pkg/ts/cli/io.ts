/// <reference types="node" />
/** A stream that a command writes to. */
export interface Output {
  write(text: string): unknown;
  /** Whether a person looks at it. */
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
}

/** What a command reaches of its process. Of the environment it reads single names. */
export interface Io {
  readonly stdout: Output;
  readonly stderr: Output;
  /** The value of one variable of the environment. */
  variable(name: string): string | undefined;
  /** Calls this when a person interrupts the command; the returned function ends that. */
  onInterrupt(act: () => void): () => void;
}

/** The process that the program is. */
export function ioOfProcess(): Io {
  return {
    stdout: process.stdout,
    stderr: process.stderr,
    variable: (name) => process.env[name],
    onInterrupt: (act) => {
      process.on("SIGINT", act).on("SIGTERM", act);
      return () => void process.off("SIGINT", act).off("SIGTERM", act);
    },
  };
}
