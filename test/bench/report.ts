/** One line of the table: what was measured, its goal, and whether the goal was reached. */
export interface Finding {
  readonly what: string
  readonly figure: string
  readonly goal: string
  readonly isReached: boolean | null
}

export function atLeast(what: string, value: number, goal: number, detail: string): Finding {
  return { what, figure: `${value.toFixed(2)}  ${detail}`, goal: `>= ${goal.toFixed(2)}`, isReached: value >= goal }
}

export function atMost(what: string, value: number, goal: number, unit: string, detail = ''): Finding {
  const digits = Math.abs(goal) < 10 ? 2 : 0
  return {
    what,
    figure: `${value.toFixed(digits)}${unit}  ${detail}`.trimEnd(),
    goal: `<= ${goal}${unit}`,
    isReached: value <= goal,
  }
}

const verdictOf = ({ isReached }: Finding): string => (isReached === null ? '' : isReached ? 'pass' : 'MISS')

export function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]!.length)))
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`
  return [line(head), `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...rows.map(line)].join('\n')
}

export const findingsTable = (findings: readonly Finding[]): string =>
  tableOf(
    ['measure', 'seen', 'goal', ''],
    findings.map((finding) => [finding.what, finding.figure, finding.goal, verdictOf(finding)]),
  )
