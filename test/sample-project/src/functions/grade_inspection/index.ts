/** What an action sends to its function. */
interface ActionCall {
  readonly input?: { readonly score?: number | null }
}

interface Context {
  readonly env: Readonly<Record<string, string>>
}

export default ({ input }: ActionCall, { env }: Context) => {
  const score = input?.score
  if (typeof score !== 'number') return { grade: null }
  const grade = score >= 80 ? 'A' : score >= Number(env['PASSED_FROM']) ? 'B' : 'C'
  console.log(`${score} points are ${grade}`)
  return { grade }
}
