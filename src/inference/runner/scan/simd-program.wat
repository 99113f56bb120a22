;; Searches numbers for the largest ones (simd-search.ts). A block has sixteen numbers, which are four vectors.
;; `node scripts/compile-wat.mjs` compiles this file to simd-program.ts.

(module
  (import "hearth" "memory" (memory 1))
  ;; The numbers begin at 0 and end here. The maxima of the parts follow.
  (import "hearth" "end" (global $numbersEnd i32))
  ;; The bytes of a part. The last one may be shorter.
  (import "hearth" "partBytes" (global $partBytes i32))

  ;; The end of the part at an address: the smaller one of the address after the part and of $end.
  (func $partEnd (param $address i32) (param $end i32) (result i32)
    (local $after i32)
    (local.set $after (i32.add (local.get $address) (global.get $partBytes)))
    (select (local.get $after) (local.get $end) (i32.lt_u (local.get $after) (local.get $end))))

  ;; Writes a block for each part: the largest number of each place in a block. `pmax` returns its second operand if that is
  ;; larger than the first one, which NaN is not.
  (func (export "maxima") (param $address i32) (param $end i32) (param $out i32)
    (local $partEnd i32) (local $m0 v128) (local $m1 v128) (local $m2 v128) (local $m3 v128)
    (block $done
      (loop $part
        (br_if $done (i32.ge_u (local.get $address) (local.get $end)))
        (local.set $partEnd (call $partEnd (local.get $address) (local.get $end)))
        (local.set $m0 (f32x4.splat (f32.const -inf)))
        (local.set $m1 (local.get $m0))
        (local.set $m2 (local.get $m0))
        (local.set $m3 (local.get $m0))
        (block $partDone
          (loop $next
            (br_if $partDone (i32.ge_u (local.get $address) (local.get $partEnd)))
            (local.set $m0 (f32x4.pmax (local.get $m0) (v128.load (local.get $address))))
            (local.set $m1 (f32x4.pmax (local.get $m1) (v128.load offset=16 (local.get $address))))
            (local.set $m2 (f32x4.pmax (local.get $m2) (v128.load offset=32 (local.get $address))))
            (local.set $m3 (f32x4.pmax (local.get $m3) (v128.load offset=48 (local.get $address))))
            (local.set $address (i32.add (local.get $address) (i32.const 64)))
            (br $next)))
        (v128.store (local.get $out) (local.get $m0))
        (v128.store offset=16 (local.get $out) (local.get $m1))
        (v128.store offset=32 (local.get $out) (local.get $m2))
        (v128.store offset=48 (local.get $out) (local.get $m3))
        (local.set $out (i32.add (local.get $out) (i32.const 64)))
        (br $part))))

  ;; How many numbers are not below $limit. What is true is -1.
  (func (export "count") (param $address i32) (param $end i32) (param $limit f32) (result i32)
    (local $limits v128) (local $sum v128)
    (local.set $limits (f32x4.splat (local.get $limit)))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $address) (local.get $end)))
        (local.set $sum (i32x4.sub (local.get $sum)
          (f32x4.ge (v128.load (local.get $address)) (local.get $limits))))
        (local.set $sum (i32x4.sub (local.get $sum)
          (f32x4.ge (v128.load offset=16 (local.get $address)) (local.get $limits))))
        (local.set $sum (i32x4.sub (local.get $sum)
          (f32x4.ge (v128.load offset=32 (local.get $address)) (local.get $limits))))
        (local.set $sum (i32x4.sub (local.get $sum)
          (f32x4.ge (v128.load offset=48 (local.get $address)) (local.get $limits))))
        (local.set $address (i32.add (local.get $address) (i32.const 64)))
        (br $next)))
    (i32.add
      (i32.add (i32x4.extract_lane 0 (local.get $sum)) (i32x4.extract_lane 1 (local.get $sum)))
      (i32.add (i32x4.extract_lane 2 (local.get $sum)) (i32x4.extract_lane 3 (local.get $sum)))))

  ;; Whether any number of the block is not below the limits.
  (func $anyAtLeast (param $address i32) (param $limits v128) (result i32)
    (v128.any_true
      (v128.or
        (v128.or
          (f32x4.ge (v128.load (local.get $address)) (local.get $limits))
          (f32x4.ge (v128.load offset=16 (local.get $address)) (local.get $limits)))
        (v128.or
          (f32x4.ge (v128.load offset=32 (local.get $address)) (local.get $limits))
          (f32x4.ge (v128.load offset=48 (local.get $address)) (local.get $limits))))))

  ;; A bit for each number of the block that is not below the limits.
  (func $maskAtLeast (param $address i32) (param $limits v128) (result i32)
    (i32.or
      (i32.or
        (i32x4.bitmask (f32x4.ge (v128.load (local.get $address)) (local.get $limits)))
        (i32.shl (i32x4.bitmask (f32x4.ge (v128.load offset=16 (local.get $address)) (local.get $limits)))
          (i32.const 4)))
      (i32.or
        (i32.shl (i32x4.bitmask (f32x4.ge (v128.load offset=32 (local.get $address)) (local.get $limits)))
          (i32.const 8))
        (i32.shl (i32x4.bitmask (f32x4.ge (v128.load offset=48 (local.get $address)) (local.get $limits)))
          (i32.const 12)))))

  ;; Writes the indices of the numbers that are not below $limit, and returns the end of what was written. Stops after
  ;; $outEnd. Only parts whose maxima are not below $limit are searched.
  (func (export "collect") (param $limit f32) (param $out i32) (param $outEnd i32) (result i32)
    (local $address i32) (local $partEnd i32) (local $maxima i32) (local $mask i32) (local $limits v128)
    (local.set $limits (f32x4.splat (local.get $limit)))
    (local.set $maxima (global.get $numbersEnd))
    (block $done
      (loop $part
        (br_if $done (i32.ge_u (local.get $address) (global.get $numbersEnd)))
        (local.set $partEnd (call $partEnd (local.get $address) (global.get $numbersEnd)))
        (if (call $anyAtLeast (local.get $maxima) (local.get $limits))
          (then
            (block $partDone
              (loop $next
                (br_if $partDone (i32.ge_u (local.get $address) (local.get $partEnd)))
                (if (v128.any_true
                      (v128.or
                        (v128.or
                          (f32x4.ge (v128.load (local.get $address)) (local.get $limits))
                          (f32x4.ge (v128.load offset=16 (local.get $address)) (local.get $limits)))
                        (v128.or
                          (f32x4.ge (v128.load offset=32 (local.get $address)) (local.get $limits))
                          (f32x4.ge (v128.load offset=48 (local.get $address)) (local.get $limits)))))
                  (then
                    (local.set $mask (call $maskAtLeast (local.get $address) (local.get $limits)))
                    (loop $numbers
                      (i32.store (local.get $out)
                        (i32.add (i32.shr_u (local.get $address) (i32.const 2)) (i32.ctz (local.get $mask))))
                      (local.set $out (i32.add (local.get $out) (i32.const 4)))
                      (local.set $mask (i32.and (local.get $mask) (i32.sub (local.get $mask) (i32.const 1))))
                      (br_if $numbers (local.get $mask)))
                    (br_if $done (i32.gt_u (local.get $out) (local.get $outEnd)))))
                (local.set $address (i32.add (local.get $address) (i32.const 64)))
                (br $next)))))
        (local.set $address (local.get $partEnd))
        (local.set $maxima (i32.add (local.get $maxima) (i32.const 64)))
        (br $part)))
    (local.get $out))

  ;; Replaces the root of a heap, its smallest number, by a larger one. Places after the heap have infinity, so that a place
  ;; without children ends the loop.
  (func $replaceRoot (param $heap i32) (param $value f32)
    (local $place i32) (local $child i32) (local $small f32) (local $other f32)
    (local.set $place (local.get $heap))
    (block $found
      (loop $down
        (local.set $child (i32.add
          (i32.sub (i32.add (local.get $place) (local.get $place)) (local.get $heap))
          (i32.const 4)))
        (local.set $small (f32.load (local.get $child)))
        (local.set $other (f32.load offset=4 (local.get $child)))
        (if (f32.lt (local.get $other) (local.get $small))
          (then
            (local.set $small (local.get $other))
            (local.set $child (i32.add (local.get $child) (i32.const 4)))))
        (br_if $found (f32.ge (local.get $small) (local.get $value)))
        (f32.store (local.get $place) (local.get $small))
        (local.set $place (local.get $child))
        (br $down)))
    (f32.store (local.get $place) (local.get $value)))

  ;; Writes the indices of the numbers that are above the root of the heap, and puts each into the heap. Returns the end of
  ;; what was written.
  (func (export "running") (param $address i32) (param $end i32) (param $heap i32) (param $out i32) (result i32)
    (local $number i32) (local $mask i32) (local $limits v128) (local $value f32)
    (local.set $limits (f32x4.splat (f32.load (local.get $heap))))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $address) (local.get $end)))
        (local.set $mask
          (i32.or
            (i32.or
              (i32x4.bitmask (f32x4.gt (v128.load (local.get $address)) (local.get $limits)))
              (i32.shl (i32x4.bitmask (f32x4.gt (v128.load offset=16 (local.get $address)) (local.get $limits)))
                (i32.const 4)))
            (i32.or
              (i32.shl (i32x4.bitmask (f32x4.gt (v128.load offset=32 (local.get $address)) (local.get $limits)))
                (i32.const 8))
              (i32.shl (i32x4.bitmask (f32x4.gt (v128.load offset=48 (local.get $address)) (local.get $limits)))
                (i32.const 12)))))
        (if (local.get $mask)
          (then
            (loop $numbers
              (local.set $number
                (i32.add (local.get $address) (i32.shl (i32.ctz (local.get $mask)) (i32.const 2))))
              (local.set $value (f32.load (local.get $number)))
              (if (f32.gt (local.get $value) (f32.load (local.get $heap)))
                (then
                  (i32.store (local.get $out) (i32.shr_u (local.get $number) (i32.const 2)))
                  (local.set $out (i32.add (local.get $out) (i32.const 4)))
                  (call $replaceRoot (local.get $heap) (local.get $value))))
              (local.set $mask (i32.and (local.get $mask) (i32.sub (local.get $mask) (i32.const 1))))
              (br_if $numbers (local.get $mask)))
            (local.set $limits (f32x4.splat (f32.load (local.get $heap))))))
        (local.set $address (i32.add (local.get $address) (i32.const 64)))
        (br $next)))
    (local.get $out)))
