import { notInDryRun } from '../dry-run.ts'
import type { Port, Ports } from '../request.ts'

/** What a dry run may use of the ports that reach outside of its transaction: it reads, checks and compiles. Other ports change nothing. */
const allowed: Readonly<Partial<Record<Port, readonly string[]>>> = {
  outbound: ['isRefusedAddress', 'isAllowedByConfiguration', 'lookup'],
  files: ['read', 'has'],
  languageModel: [],
  sandbox: ['compile'],
  graph: ['check', 'read'],
  rest: ['operations'],
  tenants: [],
}

function limited<T extends object>(port: T, names: readonly string[]): T {
  return new Proxy(port, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target)
      if (typeof value !== 'function') return value
      if (names.includes(String(name))) return value.bind(target) as unknown
      return () => {
        throw notInDryRun()
      }
    },
  })
}

/** The ports of a subgraph as a dry run may use them: everything else is refused before it happens. */
export const dryRunPorts = (ports: Partial<Ports>): Partial<Ports> =>
  Object.fromEntries(
    Object.entries(ports).map(([name, port]) => {
      const names = allowed[name as Port]
      return [name, names ? limited(port, names) : port]
    }),
  )
