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
  /** Calls this when what is written can reach nobody any more, as behind `| head -1`; the returned function ends that. */
  onUnread(act: () => void): () => void;
}

/** The process that the program is. */
export function ioOfProcess(): Io {
  const unread = new Set<() => void>();
  for (const stream of [process.stdout, process.stderr]) {
    // Without a listener a closed pipe ends the process, and a run in the midst of it. What else cannot be written is shown as it is.
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error;
      for (const act of unread) act();
    });
  }
  return {
    stdout: process.stdout,
    stderr: process.stderr,
    variable: (name) => process.env[name],
    onInterrupt: (act) => {
      process.on("SIGINT", act).on("SIGTERM", act);
      return () => void process.off("SIGINT", act).off("SIGTERM", act);
    },
    onUnread: (act) => {
      unread.add(act);
      return () => void unread.delete(act);
    },
  };
}
