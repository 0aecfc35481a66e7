import { scopeAreas } from '../../subgraphs/kernel/scope-areas.ts'

/** The guide whose table `npm run schema` prints. */
export const scopeGuide = 'gateway/pages/guides/scopes.md'

const rows = Object.entries(scopeAreas).map(([area, { paths, write }]): [string, string] => [
  paths.replaceAll(/(\/[\w/-]+)/g, '`$1`'),
  [`\`READ_${area}\``, ...(write === null ? [] : [`\`WRITE_${area}\``])].join(', '),
])

function table(): string {
  const lines = [['Paths', 'Scopes'], ...rows] as const
  const widths = [0, 1].map((column) => Math.max(...lines.map((cells) => cells[column]!.length)))
  const lineOf = (cells: readonly string[], fill = ' ') =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column]!, fill)).join(' | ')} |\n`
  const [head, ...body] = lines
  return [lineOf(head), lineOf(['', ''], '-'), ...body.map((cells) => lineOf(cells))].join('')
}

/** The guide with the table of all areas. */
export const withScopeTable = (guide: string): string => guide.replace(/\| Paths +\| Scopes +\|\n(?:\|.*\n)+/, table)
