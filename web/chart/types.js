/**
 * Types shared by the charts and the plates. No code: this file exists so that `tsc --checkJs` can hold every
 * drawing to one shape.
 *
 * A drawing is data. A plate turns a result of the core into figures; a figure is one SVG tree with its words,
 * its table and the places a reader can point at. Nothing here knows a browser.
 */

/**
 * One SVG element, or a run of text in one.
 * @typedef {object} VNode
 * @property {string} tag
 * @property {Record<string, string>} attrs  values already printed; never NaN
 * @property {Array<VNode | string>} children
 */

/** @typedef {string | {i: string} | {blue: string} | {red: string} | {act: string}} RichPart */
/** Text with emphasis: italic for variables, blue and red for the two series; `act` is what a hand may do, for a live plate on a screen alone. @typedef {RichPart[]} Rich */

/**
 * @typedef {object} Table
 * @property {Rich} caption
 * @property {Rich[]} columns
 * @property {string[][]} rows  the first cell of a row is its heading
 */

/**
 * A place in a figure that carries a value: what the tip says when it is pointed at, focused or touched.
 * @typedef {object} Mark
 * @property {string} id
 * @property {number} x  hit box, in viewBox units
 * @property {number} y
 * @property {number} w
 * @property {number} h
 * @property {number} cx  anchor of the tip
 * @property {number} cy
 * @property {string} text
 * @property {{param: string, value: string | number | boolean, label: string}} [edit]  what choosing this mark sets
 */

/**
 * @typedef {object} Drag
 * @property {string} param
 * @property {string} label
 * @property {(x: number, y: number) => number} toValue  from viewBox units to a value of the parameter
 */

/** @typedef {{row: number, column: number}} PaintCell  from 0 */

/**
 * Painting: the cells of a map can be opened and closed by hand, and the whole of them is one parameter's text.
 * A stroke takes what its first cell becomes (`!open(row, column)`) for all its cells.
 * @typedef {object} Paint
 * @property {string} param
 * @property {(x: number, y: number) => PaintCell | null} cell  from viewBox units; null beside the map
 * @property {(row: number, column: number) => boolean} open  whether the painted sheet leaves the cell open
 * @property {(row: number, column: number, value?: boolean) => string} at  the parameter's value with this cell open or closed; by default the opposite of what it is
 * @property {(cells: PaintCell[], value: boolean) => string} stroke  the same for all cells of a stroke
 * @property {(row: number, column: number) => string} mark  id of the cell's mark, for a cursor that walks
 * @property {number} rows
 * @property {number} columns
 */

/** What a hand makes of a parameter, or of several that change together. @typedef {number | string | boolean | Params} Moved */

/**
 * A point that can be taken and moved, by pointer, finger or keys; what it stands for is (part of) a parameter. Where a mark has the
 * same id, the two are one place: the mark's words and hit box are used, and a press without a move does what choosing the mark does.
 * @typedef {object} Handle
 * @property {string} id
 * @property {string} param  whose value it moves
 * @property {number} x  its centre, in viewBox units
 * @property {number} y
 * @property {string} label  what it is called: 'key 2'
 * @property {string} text  where it stands, in words: 'x 1.25, y −0.5'
 * @property {(x: number, y: number) => Moved} move  the value with the point at this place of the viewBox; any place, also outside: the plate keeps to its range
 * @property {(dx: number, dy: number) => Moved} nudge  the value with the point so many steps to the right and up
 */

/**
 * @typedef {object} Figure
 * @property {string} id
 * @property {number} number
 * @property {number} width
 * @property {number} height
 * @property {VNode} node
 * @property {Rich} caption
 * @property {string} summary  one paragraph for readers who do not see the picture
 * @property {Table} table
 * @property {Mark[]} marks
 * @property {Drag} [drag]
 * @property {Paint} [paint]
 * @property {Handle[]} [handles]
 */

/** @typedef {{kind: 'note' | 'warning', title: string, text: Rich}} Note */

/**
 * @typedef {object} Drawing
 * @property {Rich} [headline]  what the plate comes to, in one line above the figures
 * @property {Figure[]} figures
 * @property {Table} [readout]
 * @property {Note | null} [note]
 * @property {string} summary
 */

/** Numbers, or words where the study declares them. @typedef {{unit: string, shape: number[], data: Float64Array | number[] | string[]}} Series */
/** @typedef {Record<string, number | string | boolean>} Params */
/** What the core's `run` gives. @typedef {{study: string, params: Params, series: Record<string, Series>, code?: string}} Result */

/**
 * @typedef {object} Env
 * @property {number} width  CSS pixels available to the plate
 * @property {number} [widen]  how much wider than EB Garamond the type at hand runs; 1 where it is there, which is the default
 * @property {string} uid  prefix of every id in the drawing; differs between two plates on a page
 * @property {Params} params  the parameters shown
 * @property {{figure: string, mark: string} | null} [hover]  the mark pointed at, if any
 * @property {string | null} [taken]  id of the handle that is held, by a pointer or by keys; it is drawn with a ring around it
 * @property {Result} [before]  while a hand paints or holds a handle: the result when it came down, so that what lies under the hand can stay
 */

/**
 * A table (kind `numbers`) may be left to a random draw: by being empty, or because other parameters say so. Its control then shows
 * what was drawn, and an entry typed into it makes the table the reader's own.
 * @typedef {object} DrawnTable
 * @property {string} series  of the result, with the entries; its last axis are the columns, all others rows
 * @property {Params} [own]  what other parameters are when the table counts; without it, a table counts that is not empty
 */

/**
 * A run that a page times on the reader's machine, as the study lists it.
 * @typedef {object} MeterJob
 * @property {number} key
 * @property {string} name  for a reader
 * @property {boolean} offered  small enough for a page
 * @property {string} kind
 * @property {string} mask
 * @property {number} batch
 * @property {number} n
 * @property {number} m
 * @property {number} d
 * @property {number} v
 * @property {number} h
 * @property {number} block
 * @property {number} least  the fewest queries whose time may stand for all
 * @property {number} share
 * @property {number} operations
 * @property {number} bytes
 */

/**
 * What a plate measures: the parameters that take the figures, machine before times, and the runs to time, read from the result on show.
 * @typedef {{params: [string, string], jobs: (result: Result) => MeterJob[]}} Meter
 */

/**
 * @typedef {object} Plate
 * @property {string} study  id in the registry of studies
 * @property {string} numeral
 * @property {string[][]} controls  rows of parameter keys, in drawing order
 * @property {string[]} [rowNames]  what the rows are about, where there are many; '' for a row without a name
 * @property {{from: number, name: string}} [folded]  rows from this one on, counted from 0, are folded behind a button that says what they are about
 * @property {(result: Result, env: Env) => Drawing} draw
 * @property {(params: Params) => string[]} [idle]  keys of parameters that change nothing in this state; the printed line leaves them out
 * @property {Record<string, DrawnTable>} [drawn]  by parameter: where the entries of a table are that is not given by its reader
 * @property {Meter} [meter]
 * @property {{params: Params, draw: (result: Result, env: Env) => VNode}} emblem  the small picture for the contents page
 */

/**
 * A parameter as `describe` declares it.
 * @typedef {object} Parameter
 * @property {string} key
 * @property {string} label
 * @property {string} [symbol]
 * @property {string} [unit]
 * @property {string} kind  'integer', 'number', 'choice', 'flag', 'lengths', 'mask', 'list' or 'numbers'
 * @property {number} [min]
 * @property {number} [max]
 * @property {number} [step]
 * @property {string} [scale]  'linear', 'log2' or 'log10'
 * @property {string[]} [choices]
 * @property {number | string | boolean} default
 * @property {string} [help]
 */

export {};
