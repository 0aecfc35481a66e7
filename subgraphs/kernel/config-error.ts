/** The environment says something that the platform cannot work with. */
export class ConfigError extends Error {}
