/** The environment (a variable, a file, a service) does not allow the process to start. */
export class ConfigError extends Error {}
