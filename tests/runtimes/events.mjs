// Made by `cargo xtask schema` from core/src/events.rs: edit that.

/** Every event, with all of its fields. */
export const EVENTS = [
  {
    "name": "run.start",
    "public": true,
    "fields": [
      {
        "key": "seq",
        "kind": "count",
        "always": true,
        "public": true
      },
      {
        "key": "at",
        "kind": "milliseconds",
        "always": true,
        "public": true
      },
      {
        "key": "runId",
        "kind": "text",
        "always": true,
        "public": true
      },
      {
        "key": "replayed",
        "kind": "true",
        "always": false,
        "public": false
      },
      {
        "key": "workflow",
        "kind": "text",
        "always": true,
        "public": true
      },
      {
        "key": "input",
        "kind": "any",
        "always": true,
        "public": false
      }
    ]
  },
  {
    "name": "step.start",
    "public": true,
    "fields": [
      {
        "key": "seq",
        "kind": "count",
        "always": true,
        "public": true
      },
      {
        "key": "at",
        "kind": "milliseconds",
        "always": true,
        "public": true
      },
      {
        "key": "runId",
        "kind": "text",
        "always": true,
        "public": true
      },
      {
        "key": "replayed",
        "kind": "true",
        "always": false,
        "public": false
      },
      {
        "key": "step",
        "kind": "step",
        "always": true,
        "public": true
      },
      {
        "key": "attempt",
        "kind": "count",
        "always": true,
        "public": true
      },
      {
        "key": "input",
        "kind": "any",
        "always": true,
        "public": false
      }
    ]
  },
  {
    "name": "step.delta",
    "public": true,
    "fields": [
      {
        "key": "seq",
        "kind": "count",
        "always": true,
        "public": true
      },
      {
        "key": "at",
        "kind": "milliseconds",
        "always": true,
        "public": true
      },
      {
        "key": "runId",
        "kind": "text",
        "always": true,
        "public": true
      },
      {
        "key": "replayed",
        "kind": "true",
        "always": false,
        "public": false
      },
      {
        "key": "step",
        "kind": "step",
        "always": true,
        "public": true
      },
      {
        "key": "text",
        "kind": "text",
        "always": true,
        "public": true
      },
      {
        "key": "value",
        "kind": "any",
        "always": false,
        "public": true
      }
    ]
  },
  {
    "name": "step.reasoning",
    "public": false,
    "fields": [
      {
        "key": "seq",
        "kind": "count",
        "always": true,
        "public": true
      },
      {
        "key": "at",
        "kind": "milliseconds",
        "always": true,
        "public": true
      },
      {
        "key": "runId",
        "kind": "text",
        "always": true,
        "public": true
      },
      {
        "key": "replayed",
        "kind": "true",
        "always": false,
        "public": false
      },
      {
        "key": "step",
        "kind": "step",
        "always": true,
        "public": true
      },
      {
        "key": "text",
        "kind": "text",
        "always": true,
        "public": true
      }
    ]
  },
  {
    "name": "step.reset",
    "public": true,
    "fields": [
      {
        "key": "seq",
        "kind": "count",
        "always": true,
        "public": true
      },
      {
        "key": "at",
        "kind": "milliseconds",
        "always": true,
        "public": true
      },
      {
        "key": "runId",
        "kind": "text",
        "always": true,
        "public": true
      },
      {
        "key": "replayed",
        "kind": "true",
        "always": false,
        "public": false
      },
      {
        "key": "step",
        "kind": "step",
        "always": true,
        "public": true
      }
    ]
  },
  {
    "name": "tool.start",
    "public": true,
    "fields": [
      {
        "key": "seq",
        "kind": "count",
        "always": true,
        "public": true
      },
      {
        "key": "at",
        "kind": "milliseconds",
        "always": true,
        "public": true
      },
      {
        "key": "runId",
        "kind": "text",
        "always": true,
        "public": true
      },
      {
        "key": "replayed",
        "kind": "true",
        "always": false,
        "public": false
      },
      {
        "key": "step",
        "kind": "step",
        "always": true,
        "public": true
      },
      {
        "key": "callId",
        "kind": "text",
        "always": true,
        "public": true
      },
      {
        "key": "tool",
        "kind": "text",
        "always": true,
        "public": true
      },
      {
        "key": "input",
        "kind": "any",
        "always": true,
        "public": false
      },
      {
        "key": "byProvider",
        "kind": "true",
        "always": false,
        "public": true
      }
    ]
  },
  {
    "name": "tool.done",
    "public": true,
    "fields": [
      {
        "key": "seq",
        "kind": "count",
        "always": true,
        "public": true
      },
      {
        "key": "at",
        "kind": "milliseconds",
        "always": true,
        "public": true
      },
      {
        "key": "runId",
        "kind": "text",
        "always": true,
        "public": true
      },
      {
        "key": "replayed",
        "kind": "true",
        "always": false,
        "public": false
      },
      {
        "key": "step",
        "kind": "step",
        "always": true,
        "public": true
      },
      {
        "key": "callId",
        "kind": "text",
        "always": true,
        "public": true
      },
      {
        "key": "tool",
        "kind": "text",
        "always": true,
        "public": true
      },
      {
        "key": "output",
        "kind": "any",
        "always": true,
        "public": false
      },
      {
        "key": "durationMs",
        "kind": "milliseconds",
        "always": true,
        "public": true
      },
      {
        "key": "byProvider",
        "kind": "true",
        "always": false,
        "public": true
      }
    ]
  },
  {
    "name": "tool.error",
    "public": true,
    "fields": [
      {
        "key": "seq",
        "kind": "count",
        "always": true,
        "public": true
      },
      {
        "key": "at",
        "kind": "milliseconds",
        "always": true,
        "public": true
      },
      {
        "key": "runId",
        "kind": "text",
        "always": true,
        "public": true
      },
      {
        "key": "replayed",
        "kind": "true",
        "always": false,
        "public": false
      },
      {
        "key": "step",
        "kind": "step",
        "always": true,
        "public": true
      },
      {
        "key": "callId",
        "kind": "text",
        "always": true,
        "public": true
      },
      {
        "key": "tool",
        "kind": "text",
        "always": true,
        "public": true
      },
      {
        "key": "error",
        "kind": "error",
        "always": true,
        "public": true
      },
      {
        "key": "durationMs",
        "kind": "milliseconds",
        "always": true,
        "public": true
      },
      {
        "key": "byProvider",
        "kind": "true",
        "always": false,
        "public": true
      }
    ]
  },
  {
    "name": "step.done",
    "public": true,
    "fields": [
      {
        "key": "seq",
        "kind": "count",
        "always": true,
        "public": true
      },
      {
        "key": "at",
        "kind": "milliseconds",
        "always": true,
        "public": true
      },
      {
        "key": "runId",
        "kind": "text",
        "always": true,
        "public": true
      },
      {
        "key": "replayed",
        "kind": "true",
        "always": false,
        "public": false
      },
      {
        "key": "step",
        "kind": "step",
        "always": true,
        "public": true
      },
      {
        "key": "attempts",
        "kind": "count",
        "always": true,
        "public": true
      },
      {
        "key": "durationMs",
        "kind": "milliseconds",
        "always": true,
        "public": true
      },
      {
        "key": "input",
        "kind": "any",
        "always": true,
        "public": false
      },
      {
        "key": "output",
        "kind": "any",
        "always": false,
        "public": true
      },
      {
        "key": "patch",
        "kind": "any",
        "always": false,
        "public": false
      },
      {
        "key": "usage",
        "kind": "usage",
        "always": false,
        "public": true
      },
      {
        "key": "simulated",
        "kind": "true",
        "always": false,
        "public": true
      },
      {
        "key": "pinned",
        "kind": "true",
        "always": false,
        "public": true
      },
      {
        "key": "responseId",
        "kind": "text",
        "always": false,
        "public": false
      },
      {
        "key": "sources",
        "kind": "sources",
        "always": false,
        "public": true
      },
      {
        "key": "files",
        "kind": "files",
        "always": false,
        "public": true
      },
      {
        "key": "toolDecisions",
        "kind": "tool decisions",
        "always": false,
        "public": false
      }
    ]
  },
  {
    "name": "step.error",
    "public": true,
    "fields": [
      {
        "key": "seq",
        "kind": "count",
        "always": true,
        "public": true
      },
      {
        "key": "at",
        "kind": "milliseconds",
        "always": true,
        "public": true
      },
      {
        "key": "runId",
        "kind": "text",
        "always": true,
        "public": true
      },
      {
        "key": "replayed",
        "kind": "true",
        "always": false,
        "public": false
      },
      {
        "key": "step",
        "kind": "step",
        "always": true,
        "public": true
      },
      {
        "key": "error",
        "kind": "error",
        "always": true,
        "public": true
      },
      {
        "key": "attempts",
        "kind": "count",
        "always": true,
        "public": true
      },
      {
        "key": "durationMs",
        "kind": "milliseconds",
        "always": true,
        "public": true
      },
      {
        "key": "retryInMs",
        "kind": "milliseconds",
        "always": false,
        "public": true
      }
    ]
  },
  {
    "name": "step.skipped",
    "public": true,
    "fields": [
      {
        "key": "seq",
        "kind": "count",
        "always": true,
        "public": true
      },
      {
        "key": "at",
        "kind": "milliseconds",
        "always": true,
        "public": true
      },
      {
        "key": "runId",
        "kind": "text",
        "always": true,
        "public": true
      },
      {
        "key": "replayed",
        "kind": "true",
        "always": false,
        "public": false
      },
      {
        "key": "step",
        "kind": "step",
        "always": true,
        "public": true
      },
      {
        "key": "reason",
        "kind": "text",
        "always": true,
        "public": true
      }
    ]
  },
  {
    "name": "step.suspended",
    "public": true,
    "fields": [
      {
        "key": "seq",
        "kind": "count",
        "always": true,
        "public": true
      },
      {
        "key": "at",
        "kind": "milliseconds",
        "always": true,
        "public": true
      },
      {
        "key": "runId",
        "kind": "text",
        "always": true,
        "public": true
      },
      {
        "key": "replayed",
        "kind": "true",
        "always": false,
        "public": false
      },
      {
        "key": "step",
        "kind": "step",
        "always": true,
        "public": true
      }
    ]
  },
  {
    "name": "run.warning",
    "public": false,
    "fields": [
      {
        "key": "seq",
        "kind": "count",
        "always": true,
        "public": true
      },
      {
        "key": "at",
        "kind": "milliseconds",
        "always": true,
        "public": true
      },
      {
        "key": "runId",
        "kind": "text",
        "always": true,
        "public": true
      },
      {
        "key": "replayed",
        "kind": "true",
        "always": false,
        "public": false
      },
      {
        "key": "code",
        "kind": "warning code",
        "always": true,
        "public": true
      },
      {
        "key": "message",
        "kind": "text",
        "always": true,
        "public": true
      },
      {
        "key": "step",
        "kind": "step",
        "always": false,
        "public": true
      }
    ]
  },
  {
    "name": "run.done",
    "public": true,
    "fields": [
      {
        "key": "seq",
        "kind": "count",
        "always": true,
        "public": true
      },
      {
        "key": "at",
        "kind": "milliseconds",
        "always": true,
        "public": true
      },
      {
        "key": "runId",
        "kind": "text",
        "always": true,
        "public": true
      },
      {
        "key": "replayed",
        "kind": "true",
        "always": false,
        "public": false
      },
      {
        "key": "result",
        "kind": "result",
        "always": true,
        "public": true
      }
    ]
  },
  {
    "name": "run.error",
    "public": true,
    "fields": [
      {
        "key": "seq",
        "kind": "count",
        "always": true,
        "public": true
      },
      {
        "key": "at",
        "kind": "milliseconds",
        "always": true,
        "public": true
      },
      {
        "key": "runId",
        "kind": "text",
        "always": true,
        "public": true
      },
      {
        "key": "replayed",
        "kind": "true",
        "always": false,
        "public": false
      },
      {
        "key": "result",
        "kind": "result",
        "always": true,
        "public": true
      }
    ]
  },
  {
    "name": "run.budget",
    "public": true,
    "fields": [
      {
        "key": "seq",
        "kind": "count",
        "always": true,
        "public": true
      },
      {
        "key": "at",
        "kind": "milliseconds",
        "always": true,
        "public": true
      },
      {
        "key": "runId",
        "kind": "text",
        "always": true,
        "public": true
      },
      {
        "key": "replayed",
        "kind": "true",
        "always": false,
        "public": false
      },
      {
        "key": "result",
        "kind": "result",
        "always": true,
        "public": true
      }
    ]
  },
  {
    "name": "run.suspended",
    "public": true,
    "fields": [
      {
        "key": "seq",
        "kind": "count",
        "always": true,
        "public": true
      },
      {
        "key": "at",
        "kind": "milliseconds",
        "always": true,
        "public": true
      },
      {
        "key": "runId",
        "kind": "text",
        "always": true,
        "public": true
      },
      {
        "key": "replayed",
        "kind": "true",
        "always": false,
        "public": false
      },
      {
        "key": "result",
        "kind": "result",
        "always": true,
        "public": true
      }
    ]
  },
  {
    "name": "run.cancelled",
    "public": true,
    "fields": [
      {
        "key": "seq",
        "kind": "count",
        "always": true,
        "public": true
      },
      {
        "key": "at",
        "kind": "milliseconds",
        "always": true,
        "public": true
      },
      {
        "key": "runId",
        "kind": "text",
        "always": true,
        "public": true
      },
      {
        "key": "replayed",
        "kind": "true",
        "always": false,
        "public": false
      },
      {
        "key": "result",
        "kind": "result",
        "always": true,
        "public": true
      },
      {
        "key": "reason",
        "kind": "text",
        "always": false,
        "public": false
      }
    ]
  }
];
