interface Context {
  readonly env: Readonly<Record<string, string>>
}

export default ({ score }: { readonly score?: number | null }, { env }: Context) => {
  if (typeof score !== 'number') return { grade: null }
  const grade = score >= 80 ? 'A' : score >= Number(env['PASSED_FROM']) ? 'B' : 'C'
  console.log(`${score} points are ${grade}`)
  return { grade }
}
