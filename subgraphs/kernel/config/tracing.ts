import { oneOf, urlOf } from './values.ts'

export type TracingProtocol = 'http/protobuf' | 'http/json'

/** The standard variables of OpenTelemetry, as far as they decide whether and how traces are sent. */
export function tracingOf(env: NodeJS.ProcessEnv): TracingProtocol | null {
  const endpoints = ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] as const
  const urls = endpoints.map((name) => urlOf(name, env[name], ['http:', 'https:']))
  const isOff = env.OTEL_SDK_DISABLED?.toLowerCase() === 'true' || env.OTEL_TRACES_EXPORTER === 'none'
  if (isOff || urls.every((url) => url === null)) return null
  const protocol: string = env.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL || env.OTEL_EXPORTER_OTLP_PROTOCOL || 'http/protobuf'
  return oneOf('OTEL_EXPORTER_OTLP_PROTOCOL', protocol, ['http/protobuf', 'http/json'] as const)
}
