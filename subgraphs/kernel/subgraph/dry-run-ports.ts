import { notInDryRun, type DryRunReport } from '../dry-run.ts'
import type { TriedFiles } from '../file/tried-files.ts'
import type { GraphPort } from '../graph-port/graph-port.ts'
import type { Port, Ports } from '../request.ts'

/** What a dry run may use of the ports that reach outside of its transaction: it reads, checks and compiles. Other ports change nothing. */
const allowed: Readonly<Partial<Record<Port, readonly string[]>>> = {
  outbound: ['isRefusedAddress', 'isAllowedByConfiguration', 'lookup'],
  languageModel: [],
  sandbox: ['compile'],
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

/** The graph for what a dry run does through it: a mutation is a dry run, too, and what it tells is part of the report. */
const tryingGraph = (graph: GraphPort, tell: (report: DryRunReport) => void): GraphPort => ({
  check: (...args) => graph.check(...args),
  read: (...args) => graph.read(...args),
  async execute(mutation, caller, options) {
    if (options.idempotencyKey !== undefined) throw notInDryRun()
    const answer = await graph.execute(mutation, caller, options)
    if (answer.dryRun) tell(answer.dryRun)
    return answer
  },
})

export interface Trying {
  readonly files: TriedFiles | null
  tell(report: DryRunReport): void
}

/** The ports of a subgraph as a dry run may use them: everything else is refused before it happens. */
export const dryRunPorts = (ports: Partial<Ports>, { files, tell }: Trying): Partial<Ports> =>
  Object.fromEntries(
    Object.entries(ports).map(([name, port]) => {
      if (name === 'files') return [name, files]
      if (name === 'graph') return [name, tryingGraph(port as GraphPort, tell)]
      const names = allowed[name as Port]
      return [name, names ? limited(port, names) : port]
    }),
  )
