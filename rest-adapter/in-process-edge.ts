import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import type { Admission, Authorize } from '../gateway/edge/edge.ts'
import { problemIn, requestIdOf, writeProblem, type Problem } from '../gateway/edge/problem.ts'
import { setResponseOwner } from '../gateway/edge/unsent.ts'
import type { Caller } from '../subgraphs/kernel/context.ts'
import type { EdgePort } from './ports.ts'

/** The edge of requests that the platform makes in its own process: their caller is known, and neither an address nor a key is charged. */
export class InProcessEdge implements EdgePort {
  readonly #callers = new WeakMap<IncomingMessage, Caller>()

  constructor(private readonly log: Pick<Logger, 'error'>) {}

  /** Sets the caller of a request before it is served. */
  begin(req: IncomingMessage, res: ServerResponse, caller: Caller, requestId: string): void {
    this.#callers.set(req, caller)
    res.setHeader('X-Request-Id', requestId)
    setResponseOwner(res, caller.organizationId)
  }

  admit(req: IncomingMessage, res: ServerResponse, authorize: Authorize | null = null): Admission {
    const caller = this.#callers.get(req)
    if (!caller) throw new Error('a request of this process has no caller')
    authorize?.(caller)
    const none = { usage: null, key: null, app: null, quotaHeaders: null, decision: null }
    return { caller, requestId: requestIdOf(res), ...none }
  }

  spend(): void {}

  finished(): void {}

  currentCaller(): Caller {
    throw new Error('only streams ask for the current caller, and they are refused')
  }

  problem(error: unknown, req: IncomingMessage, res: ServerResponse): Problem {
    return problemIn(error, req, res, this.log).problem
  }

  refuse(error: unknown, req: IncomingMessage, res: ServerResponse): void {
    writeProblem(error, req, res, this.log)
  }
}
