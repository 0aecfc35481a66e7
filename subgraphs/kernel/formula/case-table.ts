/**
 * UPPER and LOWER: the characters beyond ASCII that have one other case, of Unicode 17. One whose other case is several characters (the German
 * sharp s, the Turkish capital i with a dot) stays. JavaScript and PostgreSQL use this table, and not their own, because those differ
 * between versions and locales. The migration contains it, so it never changes: a newer one needs a new migration.
 *
 * `e0>c0*23` are 23 characters from U+00E0 on, which become those from U+00C0 on; with `/2`, every second one.
 */
const upperRuns = `
  b5>39c e0>c0*23 f8>d8*7 ff>178 101>100*24/2 131>49 133>132*3/2 13a>139*8/2 14b>14a*23/2 17a>179*3/2 17f>53
  180>243 183>182*2/2 188>187 18c>18b 192>191 195>1f6 199>198 19a>23d 19b>a7dc 19e>220 1a1>1a0*3/2 1a8>1a7 1ad>1ac
  1b0>1af 1b4>1b3*2/2 1b9>1b8 1bd>1bc 1bf>1f7 1c5>1c4 1c6>1c4 1c8>1c7 1c9>1c7 1cb>1ca 1cc>1ca 1ce>1cd*8/2 1dd>18e
  1df>1de*9/2 1f2>1f1 1f3>1f1 1f5>1f4 1f9>1f8*20/2 223>222*9/2 23c>23b 23f>2c7e*2 242>241 247>246*5/2 250>2c6f
  251>2c6d 252>2c70 253>181 254>186 256>189*2 259>18f 25b>190 25c>a7ab 260>193 261>a7ac 263>194 264>a7cb 265>a78d
  266>a7aa 268>197 269>196 26a>a7ae 26b>2c62 26c>a7ad 26f>19c 271>2c6e 272>19d 275>19f 27d>2c64 280>1a6 282>a7c5
  283>1a9 287>a7b1 288>1ae 289>244 28a>1b1*2 28c>245 292>1b7 29d>a7b2 29e>a7b0 345>399 371>370*2/2 377>376
  37b>3fd*3 3ac>386 3ad>388*3 3b1>391*17 3c2>3a3 3c3>3a3*9 3cc>38c 3cd>38e*2 3d0>392 3d1>398 3d5>3a6 3d6>3a0
  3d7>3cf 3d9>3d8*12/2 3f0>39a 3f1>3a1 3f2>3f9 3f3>37f 3f5>395 3f8>3f7 3fb>3fa 430>410*32 450>400*16 461>460*17/2
  48b>48a*27/2 4c2>4c1*7/2 4cf>4c0 4d1>4d0*48/2 561>531*38 10d0>1c90*43 10fd>1cbd*3 13f8>13f0*6 1c80>412 1c81>414
  1c82>41e 1c83>421*2 1c85>422 1c86>42a 1c87>462 1c88>a64a 1c8a>1c89 1d79>a77d 1d7d>2c63 1d8e>a7c6 1e01>1e00*75/2
  1e9b>1e60 1ea1>1ea0*48/2 1f00>1f08*8 1f10>1f18*6 1f20>1f28*8 1f30>1f38*8 1f40>1f48*6 1f51>1f59*4/2 1f60>1f68*8
  1f70>1fba*2 1f72>1fc8*4 1f76>1fda*2 1f78>1ff8*2 1f7a>1fea*2 1f7c>1ffa*2 1fb0>1fb8*2 1fbe>399 1fd0>1fd8*2
  1fe0>1fe8*2 1fe5>1fec 214e>2132 2170>2160*16 2184>2183 24d0>24b6*26 2c30>2c00*48 2c61>2c60 2c65>23a 2c66>23e
  2c68>2c67*3/2 2c73>2c72 2c76>2c75 2c81>2c80*50/2 2cec>2ceb*2/2 2cf3>2cf2 2d00>10a0*38 2d27>10c7 2d2d>10cd
  a641>a640*23/2 a681>a680*14/2 a723>a722*7/2 a733>a732*31/2 a77a>a779*2/2 a77f>a77e*5/2 a78c>a78b a791>a790*2/2
  a794>a7c4 a797>a796*10/2 a7b5>a7b4*8/2 a7c8>a7c7*2/2 a7cd>a7cc*8/2 a7f6>a7f5 ab53>a7b3 ab70>13a0*80 ff41>ff21*26
  10428>10400*40 104d8>104b0*36 10597>10570*11 105a3>1057c*15 105b3>1058c*7 105bb>10594*2 10cc0>10c80*51
  10d70>10d50*22 118c0>118a0*32 16e60>16e40*32 16ebb>16ea0*25 1e922>1e900*34`

const lowerRuns = `
  c0>e0*23 d8>f8*7 100>101*24/2 132>133*3/2 139>13a*8/2 14a>14b*23/2 178>ff 179>17a*3/2 181>253 182>183*2/2
  186>254 187>188 189>256*2 18b>18c 18e>1dd 18f>259 190>25b 191>192 193>260 194>263 196>269 197>268 198>199
  19c>26f 19d>272 19f>275 1a0>1a1*3/2 1a6>280 1a7>1a8 1a9>283 1ac>1ad 1ae>288 1af>1b0 1b1>28a*2 1b3>1b4*2/2
  1b7>292 1b8>1b9 1bc>1bd 1c4>1c6 1c5>1c6 1c7>1c9 1c8>1c9 1ca>1cc 1cb>1cc*9/2 1de>1df*9/2 1f1>1f3 1f2>1f3*2/2
  1f6>195 1f7>1bf 1f8>1f9*20/2 220>19e 222>223*9/2 23a>2c65 23b>23c 23d>19a 23e>2c66 241>242 243>180 244>289
  245>28c 246>247*5/2 370>371*2/2 376>377 37f>3f3 386>3ac 388>3ad*3 38c>3cc 38e>3cd*2 391>3b1*17 3a3>3c3*9 3cf>3d7
  3d8>3d9*12/2 3f4>3b8 3f7>3f8 3f9>3f2 3fa>3fb 3fd>37b*3 400>450*16 410>430*32 460>461*17/2 48a>48b*27/2 4c0>4cf
  4c1>4c2*7/2 4d0>4d1*48/2 531>561*38 10a0>2d00*38 10c7>2d27 10cd>2d2d 13a0>ab70*80 13f0>13f8*6 1c89>1c8a
  1c90>10d0*43 1cbd>10fd*3 1e00>1e01*75/2 1e9e>df 1ea0>1ea1*48/2 1f08>1f00*8 1f18>1f10*6 1f28>1f20*8 1f38>1f30*8
  1f48>1f40*6 1f59>1f51*4/2 1f68>1f60*8 1f88>1f80*8 1f98>1f90*8 1fa8>1fa0*8 1fb8>1fb0*2 1fba>1f70*2 1fbc>1fb3
  1fc8>1f72*4 1fcc>1fc3 1fd8>1fd0*2 1fda>1f76*2 1fe8>1fe0*2 1fea>1f7a*2 1fec>1fe5 1ff8>1f78*2 1ffa>1f7c*2
  1ffc>1ff3 2126>3c9 212a>6b 212b>e5 2132>214e 2160>2170*16 2183>2184 24b6>24d0*26 2c00>2c30*48 2c60>2c61 2c62>26b
  2c63>1d7d 2c64>27d 2c67>2c68*3/2 2c6d>251 2c6e>271 2c6f>250 2c70>252 2c72>2c73 2c75>2c76 2c7e>23f*2
  2c80>2c81*50/2 2ceb>2cec*2/2 2cf2>2cf3 a640>a641*23/2 a680>a681*14/2 a722>a723*7/2 a732>a733*31/2 a779>a77a*2/2
  a77d>1d79 a77e>a77f*5/2 a78b>a78c a78d>265 a790>a791*2/2 a796>a797*10/2 a7aa>266 a7ab>25c a7ac>261 a7ad>26c
  a7ae>26a a7b0>29e a7b1>287 a7b2>29d a7b3>ab53 a7b4>a7b5*8/2 a7c4>a794 a7c5>282 a7c6>1d8e a7c7>a7c8*2/2 a7cb>264
  a7cc>a7cd*8/2 a7dc>19b a7f5>a7f6 ff21>ff41*26 10400>10428*40 104b0>104d8*36 10570>10597*11 1057c>105a3*15
  1058c>105b3*7 10594>105bb*2 10c80>10cc0*51 10d50>10d70*22 118a0>118c0*32 16e40>16e60*32 16ea0>16ebb*25
  1e900>1e922*34`

type Pair = readonly [from: string, to: string]

const code = (hex: string): number => Number.parseInt(hex, 16)

function pairsOf(run: string): Pair[] {
  const [range = '', count = '1', step = '1'] = run.split(/[*/]/)
  const [from, to] = range.split('>').map(code) as [number, number]
  return Array.from({ length: Number(count) }, (_, index) => {
    const offset = index * Number(step)
    return [String.fromCodePoint(from + offset), String.fromCodePoint(to + offset)]
  })
}

const tableOf = (runs: string): Pair[] => runs.trim().split(/\s+/).flatMap(pairsOf)

export const upperPairs: readonly Pair[] = tableOf(upperRuns)
export const lowerPairs: readonly Pair[] = tableOf(lowerRuns)

const ascii = (from: 'A' | 'a', to: 'A' | 'a'): Pair[] =>
  pairsOf(`${from.charCodeAt(0).toString(16)}>${to.charCodeAt(0).toString(16)}*26`)

export const upperCase: ReadonlyMap<string, string> = new Map([...ascii('a', 'A'), ...upperPairs])
export const lowerCase: ReadonlyMap<string, string> = new Map([...ascii('A', 'a'), ...lowerPairs])
