import { isDeepStrictEqual } from 'node:util'
import type { Server } from './processes.ts'
import type { HttpRequest, Scenario } from './scenarios.ts'
import type { Tenant } from './tenants.ts'

async function answerOf(server: Server, { method, path, body }: HttpRequest, tenant: Tenant | null): Promise<string> {
  const headers = { ...(tenant && { 'X-API-Key': tenant.secret }), ...(body && { 'Content-Type': 'application/json' }) }
  const response = await fetch(`http://127.0.0.1:${server.port}${path}`, { method, headers, ...(body && { body }) })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text.slice(0, 600)}`)
  return text
}

const without = (text: string, changing: readonly string[]): unknown =>
  JSON.parse(text, (key, value: unknown) => (changing.includes(key) ? '' : value))

export interface VerifiedServers {
  readonly project: Server
  readonly baselines: readonly Server[]
  readonly tenant: Tenant
  readonly ids: readonly string[]
}

/** Every baseline must return the same response as the project, character by character. */
export async function verifyAnswers(
  scenario: Scenario,
  { project, baselines, tenant, ids }: VerifiedServers,
): Promise<void> {
  const changing = scenario.changing ?? []
  for (const id of ids) {
    const expected = await answerOf(project, scenario.project(id), tenant)
    const requests = baselines.map((baseline) => [baseline, scenario.baseline(id)] as const)
    if (scenario.counting) requests.push([baselines[0]!, scenario.counting.baseline])
    for (const [baseline, request] of requests) {
      const answer = await answerOf(baseline, request, null)
      const isSame =
        changing.length === 0
          ? answer === expected
          : isDeepStrictEqual(without(answer, changing), without(expected, changing))
      if (isSame && answer.length === expected.length) continue
      const at = [...answer].findIndex((character, index) => character !== expected[index])
      const places = [expected, answer].map((text) => text.slice(Math.max(0, at - 80), at + 120))
      throw new Error(
        `${scenario.name}: the response of a baseline must equal the response of the project, but differs at ${at}:\n${places.join('\n')}`,
      )
    }
  }
}
