export { consoleLogger, type LoggerOptions, type LogLevel, type LogTarget } from "../log/console.js";
