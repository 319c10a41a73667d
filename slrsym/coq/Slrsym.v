(* What the exported goals speak of, and the tactics that prove them. Coq 8.16, Coquelicot 3.2.
   Every function is total in Coq, with some value where mathematics has none: 1 / 0 = 0, sqrt (-1) = 0.
   A statement here says what the claim says wherever the claim's own terms are defined. *)
From Coq Require Export Reals Psatz Lra Nsatz ZArith.
From Coquelicot Require Export Coquelicot.
Open Scope R_scope.

(* ---- the error function, from its integral ---- *)
Definition bell (x : R) : R := 2 / sqrt PI * exp (- x ^ 2).
Definition erf (x : R) : R := RInt bell 0 x.
Definition erf_second (x : R) : R := -2 * x * bell x.
Notation erf_prime := bell.

Lemma sqrt_PI_pos : 0 < sqrt PI.
Proof. apply sqrt_lt_R0, PI_RGT_0. Qed.

Lemma bell_derive (x : R) : is_derive bell x (-2 * x * bell x).
Proof. unfold bell. auto_derive; [exact I |]. simpl. ring. Qed.

Lemma derive_continuous (f : R -> R) (x l : R) : is_derive f x l -> continuous f x.
Proof. intro H. apply (ex_derive_continuous f x). exists l; exact H. Qed.

Lemma derive_continuity (f : R -> R) (x l : R) : is_derive f x l -> continuity_pt f x.
Proof. intro H. apply continuity_pt_filterlim. exact (derive_continuous f x l H). Qed.

(* The integral of a function that is continuous everywhere has it as its derivative. *)
Lemma integral_derive (f : R -> R) (x : R) :
  (forall y, continuous f y) -> is_derive (RInt f 0) x (f x).
Proof.
  intro H. apply (is_derive_RInt f (RInt f 0) 0 x); [| apply H].
  apply filter_forall. intro y. apply (RInt_correct f 0 y), ex_RInt_continuous. intros z _. apply H.
Qed.

Lemma erf_derive (x : R) : is_derive erf x (bell x).
Proof. apply integral_derive. intro y. exact (derive_continuous _ _ _ (bell_derive y)). Qed.

Lemma erf_0 : erf 0 = 0.
Proof. unfold erf. apply (RInt_point 0 bell). Qed.

Lemma bell_pos (x : R) : 0 < bell x.
Proof.
  apply Rmult_lt_0_compat; [apply Rdiv_lt_0_compat; [lra | apply sqrt_PI_pos] | apply exp_pos].
Qed.

Lemma bell_even (x : R) : bell (- x) = bell x.
Proof. unfold bell. replace ((- x) ^ 2) with (x ^ 2) by ring. reflexivity. Qed.

Lemma exp_le_1 (a : R) : a <= 0 -> exp a <= 1.
Proof.
  intros [H | H]; [rewrite <- exp_0; left; apply exp_increasing; exact H |].
  rewrite H, exp_0. right. reflexivity.
Qed.

Lemma bell_le (x : R) : bell x <= 2 / sqrt PI.
Proof.
  unfold bell. assert (exp (- x ^ 2) <= 1) by (apply exp_le_1; nra).
  assert (0 < 2 / sqrt PI) by (apply Rdiv_lt_0_compat; [lra | apply sqrt_PI_pos]). nra.
Qed.

(* ---- slopes: the rules `monotonicity` and `equal at a point, with equal derivatives` ---- *)
Lemma mean_value (f f' : R -> R) (a b : R) :
  a <= b -> (forall x, a <= x <= b -> is_derive f x (f' x)) ->
  exists c, a <= c <= b /\ f b - f a = f' c * (b - a).
Proof.
  intros Hab Hd.
  destruct (MVT_gen f a b f') as [c [Hc He]].
  - intros x Hx. apply Hd. rewrite Rmin_left, Rmax_right in Hx by lra. lra.
  - intros x Hx. rewrite Rmin_left, Rmax_right in Hx by lra.
    apply (derive_continuity f x (f' x)), Hd. lra.
  - rewrite Rmin_left, Rmax_right in Hc by lra. exists c. split; [lra | exact He].
Qed.

Lemma increases (f f' : R -> R) (a b : R) :
  a <= b -> (forall x, a <= x <= b -> is_derive f x (f' x)) ->
  (forall x, a <= x <= b -> 0 <= f' x) -> f a <= f b.
Proof.
  intros Hab Hd Hp. destruct (mean_value f f' a b Hab Hd) as [c [Hc He]]. pose proof (Hp c Hc). nra.
Qed.

Lemma decreases (f f' : R -> R) (a b : R) :
  a <= b -> (forall x, a <= x <= b -> is_derive f x (f' x)) ->
  (forall x, a <= x <= b -> f' x <= 0) -> f b <= f a.
Proof.
  intros Hab Hd Hp. destruct (mean_value f f' a b Hab Hd) as [c [Hc He]]. pose proof (Hp c Hc). nra.
Qed.

Lemma constant (f : R -> R) (a b : R) : (forall x, is_derive f x 0) -> f a = f b.
Proof.
  intro H. destruct (Rle_or_lt a b) as [K | K].
  - destruct (mean_value f (fun _ => 0) a b K (fun x _ => H x)) as [c [_ E]]. lra.
  - destruct (mean_value f (fun _ => 0) b a (Rlt_le _ _ K) (fun x _ => H x)) as [c [_ E]]. lra.
Qed.

Lemma erf_odd (x : R) : erf (- x) = - erf x.
Proof.
  assert (erf (- x) + erf x = erf (- 0) + erf 0) as H.
  { apply (constant (fun y => erf (- y) + erf y) x 0). intro y.
    replace 0 with (-1 * bell (- y) + bell y) by (rewrite bell_even; ring).
    apply (is_derive_plus (fun y => erf (- y)) erf y (-1 * bell (- y)) (bell y)); [| apply erf_derive].
    apply (is_derive_comp erf Ropp y (bell (- y)) (-1)); [apply erf_derive |].
    auto_derive; [exact I | ring]. }
  rewrite Ropp_0, erf_0 in H. lra.
Qed.

Lemma erf_minus (x : R) : erf (-1 * x) = - erf x.
Proof. rewrite <- erf_odd. f_equal. ring. Qed.

Lemma erf_increases (x y : R) : x <= y -> erf x <= erf y.
Proof.
  intro H. apply (increases erf bell); [exact H | intros z _; apply erf_derive |].
  intros z _. left. apply bell_pos.
Qed.

Lemma erf_strictly (x y : R) : x < y -> erf x < erf y.
Proof.
  intro H. destruct (mean_value erf bell x y (Rlt_le _ _ H)) as [c [_ E]].
  - intros z _. apply erf_derive.
  - pose proof (bell_pos c). nra.
Qed.

Lemma erf_nonneg (x : R) : 0 <= x -> 0 <= erf x.
Proof. intro H. rewrite <- erf_0. apply erf_increases. exact H. Qed.
Lemma erf_pos (x : R) : 0 < x -> 0 < erf x.
Proof. intro H. rewrite <- erf_0. apply erf_strictly. exact H. Qed.
Lemma erf_nonpos (x : R) : x <= 0 -> erf x <= 0.
Proof. intro H. rewrite <- erf_0. apply erf_increases. exact H. Qed.
Lemma erf_neg (x : R) : x < 0 -> erf x < 0.
Proof. intro H. rewrite <- erf_0. apply erf_strictly. exact H. Qed.
Lemma erf_zero (x : R) : erf x = 0 -> x = 0.
Proof.
  intro H. destruct (Rtotal_order x 0) as [K | [K | K]]; [| exact K |].
  - pose proof (erf_neg x K). lra.
  - pose proof (erf_pos x K). lra.
Qed.

(* ---- Owen's T and zeta as proper integrals, and -1 < erf < 1, with no axiom ---- *)
Definition wedge (x t : R) := exp (- (x ^ 2 * (1 + t ^ 2))) / (1 + t ^ 2).
Definition wedge_x (x t : R) := -2 * x * exp (- (x ^ 2 * (1 + t ^ 2))).
Definition sector (a x : R) := RInt (wedge x) 0 a.
Definition owens_t_at (a h : R) : R := sector a (h / sqrt 2) / (2 * PI).
Notation owens_t h a := (owens_t_at a h).
Definition zeta_at (s t : R) : R :=
  1 - 8 * owens_t (sqrt 2 * t / sqrt (1 + 2 * s ^ 2)) (1 / sqrt (1 + 4 * s ^ 2)).
Notation zeta t s := (zeta_at s t).

Lemma one_square (t : R) : 1 + t ^ 2 <> 0.
Proof. nra. Qed.

Lemma wedge_derive (x t : R) : is_derive (fun x => wedge x t) x (wedge_x x t).
Proof.
  unfold wedge, wedge_x. auto_derive; [exact I |].
  replace (- (x * (x * 1) * (1 + t * (t * 1)))) with (- (x ^ 2 * (1 + t ^ 2))) by ring.
  field. nra.
Qed.

Lemma wedge_x_continuous (x t : R) : continuity_2d_pt wedge_x x t.
Proof.
  unfold wedge_x. apply continuity_2d_pt_mult.
  - apply continuity_2d_pt_mult; [apply continuity_2d_pt_const | apply continuity_2d_pt_id1].
  - apply (continuity_1d_2d_pt_comp exp (fun u v => - (u ^ 2 * (1 + v ^ 2)))).
    + apply derivable_continuous_pt, derivable_pt_exp.
    + apply continuity_2d_pt_opp, continuity_2d_pt_mult.
      * apply (continuity_1d_2d_pt_comp (fun u => u ^ 2) (fun u v => u));
          [apply derivable_continuous_pt; reg | apply continuity_2d_pt_id1].
      * apply (continuity_1d_2d_pt_comp (fun v => 1 + v ^ 2) (fun u v => v));
          [apply derivable_continuous_pt; reg | apply continuity_2d_pt_id2].
Qed.

Lemma wedge_continuous (x t : R) : continuous (wedge x) t.
Proof. apply (ex_derive_continuous (wedge x)). unfold wedge. auto_derive. nra. Qed.

Definition gauss (u : R) := exp (- u ^ 2).
Definition half (x : R) := RInt gauss 0 x.

Lemma gauss_continuous (u : R) : continuous gauss u.
Proof. apply (ex_derive_continuous gauss). unfold gauss. auto_derive. exact I. Qed.

Lemma half_scaled (a x : R) : half (x * a) = x * RInt (fun t => gauss (x * t)) 0 a.
Proof.
  unfold half. assert (ex_RInt gauss (x * 0 + 0) (x * a + 0)) as H
    by (apply (ex_RInt_continuous (V := R_CompleteNormedModule)); intros z _; apply gauss_continuous).
  pose proof (RInt_comp_lin gauss x 0 0 a H) as K.
  replace (x * 0 + 0) with 0 in K by ring. replace (x * a + 0) with (x * a) in K by ring.
  rewrite <- K. transitivity (RInt (fun t => scal x (gauss (x * t))) 0 a).
  - apply RInt_ext. intros t _. rewrite Rplus_0_r. reflexivity.
  - apply (RInt_scal (V := R_CompleteNormedModule) (fun t => gauss (x * t)) 0 a x).
    apply (ex_RInt_continuous (V := R_CompleteNormedModule)). intros z _.
    apply (ex_derive_continuous (fun t => gauss (x * t))). unfold gauss. auto_derive. exact I.
Qed.

Lemma sector_derive (a x : R) : is_derive (sector a) x (-2 * gauss x * half (x * a)).
Proof.
  replace (-2 * gauss x * half (x * a)) with (RInt (fun t => Derive (fun u => wedge u t) x) 0 a).
  - apply (is_derive_RInt_param wedge 0 a x).
    + apply filter_forall. intros y t _. exists (wedge_x y t). apply wedge_derive.
    + intros t _. apply (continuity_2d_pt_ext wedge_x); [| apply wedge_x_continuous].
      intros u v. symmetry. apply is_derive_unique, wedge_derive.
    + apply filter_forall. intro y. apply (ex_RInt_continuous (wedge y)).
      intros z _. apply wedge_continuous.
  - rewrite half_scaled.
    transitivity (RInt (fun t => scal (-2 * x * gauss x) (gauss (x * t))) 0 a).
    + apply RInt_ext. intros t _.
      transitivity (wedge_x x t); [apply is_derive_unique, wedge_derive |].
      change (wedge_x x t = -2 * x * gauss x * gauss (x * t)).
      unfold wedge_x, gauss. rewrite (Rmult_assoc (-2 * x)), <- exp_plus. f_equal. f_equal. ring.
    + rewrite (RInt_scal (V := R_CompleteNormedModule) (fun t => gauss (x * t)) 0 a).
      * change (-2 * x * gauss x * RInt (fun t => gauss (x * t)) 0 a
          = -2 * gauss x * (x * RInt (fun t => gauss (x * t)) 0 a)). ring.
      * apply (ex_RInt_continuous (V := R_CompleteNormedModule)). intros z _.
        apply (ex_derive_continuous (fun t => gauss (x * t))). unfold gauss. auto_derive. exact I.
Qed.

Lemma arctangent (a : R) : RInt (fun t => / (1 + t ^ 2)) 0 a = atan a.
Proof.
  replace (atan a) with (minus (atan a) (atan 0))
    by (rewrite atan_0; unfold minus, plus, opp; simpl; ring).
  apply is_RInt_unique, (is_RInt_derive atan (fun t => / (1 + t ^ 2))).
  - intros t _. apply is_derive_Reals, derivable_pt_lim_atan.
  - intros t _. apply (ex_derive_continuous (fun t => / (1 + t ^ 2))). auto_derive. nra.
Qed.

Lemma sector_0 (a : R) : sector a 0 = atan a.
Proof.
  assert (forall t, wedge 0 t = / (1 + t ^ 2)) as H.
  { intro t. unfold wedge. replace (- (0 ^ 2 * (1 + t ^ 2))) with 0 by ring.
    rewrite exp_0. field. apply one_square. }
  rewrite <- arctangent. apply RInt_ext. intros t _. apply H.
Qed.

Lemma sector_pos (a x : R) : 0 < a -> 0 < sector a x.
Proof.
  intro H. apply RInt_gt_0; [exact H | |]; intros t _; [| apply wedge_continuous].
  apply Rdiv_lt_0_compat; [apply exp_pos | nra].
Qed.

Lemma sector_le (a x : R) : 0 <= a -> sector a x <= atan a.
Proof.
  intro H. rewrite <- (arctangent a). apply RInt_le; [exact H | | |].
  - apply (ex_RInt_continuous (wedge x)). intros z _. apply wedge_continuous.
  - apply (ex_RInt_continuous (V := R_CompleteNormedModule)). intros t _.
    apply (ex_derive_continuous (fun t => / (1 + t ^ 2))). auto_derive. nra.
  - intros t _. unfold wedge, Rdiv. assert (0 < / (1 + t ^ 2)) by (apply Rinv_0_lt_compat; nra).
    assert (exp (- (x ^ 2 * (1 + t ^ 2))) <= 1) by (apply exp_le_1; nra). nra.
Qed.

Lemma half_derive (x : R) : is_derive half x (gauss x).
Proof. apply integral_derive, gauss_continuous. Qed.

Lemma erf_half (x : R) : erf x = 2 / sqrt PI * half x.
Proof.
  apply (RInt_scal (V := R_CompleteNormedModule) gauss 0 x (2 / sqrt PI)).
  apply (ex_RInt_continuous (V := R_CompleteNormedModule)). intros z _. apply gauss_continuous.
Qed.

Lemma gauss_square (x : R) : half x ^ 2 + sector 1 x = PI / 4.
Proof.
  rewrite (constant (fun x => half x ^ 2 + sector 1 x) x 0).
  - rewrite sector_0, atan_1. unfold half. rewrite (RInt_point 0 gauss). simpl. unfold zero. simpl. ring.
  - intro y. replace 0 with (2 * half y * gauss y + -2 * gauss y * half (y * 1))
      by (rewrite Rmult_1_r; ring).
    apply (is_derive_plus (fun x => half x ^ 2) (sector 1) y); [| apply sector_derive].
    replace (2 * half y * gauss y) with (INR 2 * gauss y * half y ^ pred 2) by (simpl; ring).
    apply (is_derive_pow half 2 y (gauss y)), half_derive.
Qed.

Lemma erf_bounds (x : R) : -1 < erf x < 1.
Proof.
  rewrite erf_half. pose proof (gauss_square x). pose proof (sector_pos 1 x Rlt_0_1).
  pose proof sqrt_PI_pos as S.
  assert (sqrt PI * sqrt PI = PI) as Q by (apply sqrt_sqrt; left; apply PI_RGT_0).
  assert ((2 * half x) * (2 * half x) < sqrt PI * sqrt PI) as B by (rewrite Q; lra).
  assert (- sqrt PI < 2 * half x < sqrt PI) as [B1 B2] by (split; nra).
  replace (2 / sqrt PI * half x) with (2 * half x / sqrt PI) by (field; lra).
  split; apply (Rmult_lt_reg_r (sqrt PI)); try exact S;
    replace (2 * half x / sqrt PI * sqrt PI) with (2 * half x) by (field; lra); lra.
Qed.

Lemma erf_lt_1 (x : R) : erf x < 1. Proof. apply erf_bounds. Qed.
Lemma erf_gt_m1 (x : R) : -1 < erf x. Proof. apply erf_bounds. Qed.

Lemma zeta_bounds (t s : R) : 0 <= zeta t s < 1.
Proof.
  unfold zeta_at, owens_t_at.
  assert (1 <= sqrt (1 + 4 * s ^ 2)) as G
    by (rewrite <- sqrt_1 at 1; apply sqrt_le_1_alt; nra).
  set (a := 1 / sqrt (1 + 4 * s ^ 2)). set (x := _ / sqrt 2).
  assert (0 < a) as A by (apply Rdiv_lt_0_compat; lra).
  assert (a <= 1) as A1
    by (unfold a, Rdiv; rewrite Rmult_1_l; apply (Rle_trans _ (/ 1));
        [apply Rinv_le_contravar; lra | rewrite Rinv_1; lra]).
  pose proof (sector_pos a x A). pose proof (sector_le a x (Rlt_le _ _ A)). pose proof PI_RGT_0.
  assert (atan a <= PI / 4) by (rewrite <- atan_1; destruct A1 as [A1 | ->];
    [left; apply atan_increasing; exact A1 | right; reflexivity]).
  assert (0 < / PI) by (apply Rinv_0_lt_compat; lra). assert (PI * / PI = 1) by (field; lra).
  replace (sector a x / (2 * PI)) with (sector a x * / PI / 2) by (field; lra). split; nra.
Qed.

(* ---- finite sums: the terms at a, a + 1, ... that are at most b ---- *)
Fixpoint sum_from (f : R -> R) (a : R) (n : nat) : R :=
  match n with O => 0 | S m => sum_from f a m + f (a + INR m) end.
Definition Sum (f : R -> R) (a b : R) : R := sum_from f a (Z.to_nat (up (b - a))).
Definition is_int (x : R) : Prop := exists k : Z, x = IZR k.

Lemma sum_ext (f g : R -> R) (a b : R) :
  (forall i, a <= i <= b -> f i = g i) -> Sum f a b = Sum g a b.
Proof.
  intro H. unfold Sum.
  assert (forall m, (m <= Z.to_nat (up (b - a)))%nat -> sum_from f a m = sum_from g a m) as K.
  { induction m as [| m IH]; intro L; [reflexivity |]. simpl. rewrite IH by (auto with arith).
    f_equal. apply H. pose proof (pos_INR m). split; [lra |].
    pose proof (archimed (b - a)) as [_ U]. assert (INR m <= IZR (up (b - a)) - 1) as M; [| lra].
    rewrite INR_IZR_INZ, <- minus_IZR. apply IZR_le. lia. }
  apply K. auto.
Qed.

Lemma sum_scal (c : R) (f : R -> R) (a b : R) : Sum (fun i => c * f i) a b = c * Sum f a b.
Proof. unfold Sum. induction (Z.to_nat _) as [| n IH]; simpl; [ring |]. rewrite IH. ring. Qed.
Lemma sum_plus (f g : R -> R) (a b : R) : Sum (fun i => f i + g i) a b = Sum f a b + Sum g a b.
Proof. unfold Sum. induction (Z.to_nat _) as [| n IH]; simpl; [ring |]. rewrite IH. ring. Qed.
Lemma sum_nonneg (f : R -> R) (a b : R) : (forall i, 0 <= f i) -> 0 <= Sum f a b.
Proof. intro H. unfold Sum. induction (Z.to_nat _) as [| n IH]; simpl; [lra |]. pose proof (H (a + INR n)). lra. Qed.

Lemma sum_pos (f : R -> R) (b : R) : 1 <= b -> (forall i, 0 < f i) -> 0 < Sum f 1 b.
Proof.
  intros L H. unfold Sum. assert (forall n, 0 < sum_from f 1 (S n)) as K.
  { induction n as [| n IH]; [simpl; pose proof (H (1 + 0)); lra |].
    change (0 < sum_from f 1 (S n) + f (1 + INR (S n))). pose proof (H (1 + INR (S n))). lra. }
  destruct (archimed (b - 1)) as [A _]. assert (0 < up (b - 1))%Z by (apply lt_IZR; lra).
  replace (Z.to_nat (up (b - 1))) with (S (pred (Z.to_nat (up (b - 1))))) by lia. apply K.
Qed.

(* ---- derivatives: the table that `auto_derive` reads ---- *)
Global Instance UnaryDiff_erf : UnaryDiff erf.
Proof. exists bell. apply erf_derive. Defined.
Global Instance UnaryDiff_bell : UnaryDiff bell.
Proof. exists (fun x => -2 * x * bell x). apply bell_derive. Defined.

Lemma erf_second_derive (x : R) : is_derive erf_second x ((4 * x ^ 2 - 2) * bell x).
Proof. unfold erf_second. auto_derive; [exact I | ring]. Qed.
Global Instance UnaryDiff_erf_second : UnaryDiff erf_second.
Proof. exists (fun x => (4 * x ^ 2 - 2) * bell x). apply erf_second_derive. Defined.

Lemma asin_nonneg (x : R) : 0 <= x <= 1 -> 0 <= asin x.
Proof.
  intro H. destruct (Rle_or_lt 0 (asin x)) as [K | K]; [exact K |].
  pose proof (asin_bound x) as B. pose proof PI_RGT_0. pose proof (sin_asin x ltac:(lra)) as E.
  assert (sin (asin x) < 0) by (apply sin_lt_0_var; lra). lra.
Qed.
Lemma asin_pos (x : R) : 0 < x <= 1 -> 0 < asin x.
Proof.
  intro H. destruct (asin_nonneg x ltac:(lra)) as [K | K]; [exact K |].
  pose proof (sin_asin x ltac:(lra)) as E. rewrite <- K, sin_0 in E. lra.
Qed.

Lemma asin_derive (x : R) : -1 < x < 1 -> is_derive asin x (/ sqrt (1 - x ^ 2)).
Proof.
  intro H. apply is_derive_Reals.
  apply (derive_pt_eq_1 asin x (/ sqrt (1 - x ^ 2)) (derivable_pt_asin x H)).
  rewrite derive_pt_asin. unfold Rdiv, Rsqr. rewrite Rmult_1_l. do 3 f_equal. ring.
Qed.
Global Instance UnaryDiff_asin : UnaryDiff' asin.
Proof. exists (fun x => / sqrt (1 - x ^ 2)) (fun x => -1 < x < 1). apply asin_derive. Defined.

Lemma owens_t_derive (a h : R) :
  is_derive (owens_t_at a) h (- exp (- h ^ 2 / 2) * erf (a * h / sqrt 2) / (2 * sqrt 2 * sqrt PI)).
Proof.
  assert (0 < sqrt 2) as S by (apply sqrt_lt_R0; lra). pose proof sqrt_PI_pos as P.
  assert (sqrt 2 * sqrt 2 = 2) as S2 by (apply sqrt_sqrt; lra).
  assert (sqrt PI * sqrt PI = PI) as P2 by (apply sqrt_sqrt; left; apply PI_RGT_0).
  pose proof PI_RGT_0. unfold owens_t_at.
  replace (- exp (- h ^ 2 / 2) * erf (a * h / sqrt 2) / (2 * sqrt 2 * sqrt PI)) with
    (/ (2 * PI) * (/ sqrt 2 * (-2 * gauss (h / sqrt 2) * half (h / sqrt 2 * a)))).
  - apply (is_derive_ext (fun h => / (2 * PI) * sector a (h / sqrt 2)));
      [intro t; apply Rmult_comm |].
    apply (is_derive_scal (fun h => sector a (h / sqrt 2)) h (/ (2 * PI))).
    apply (is_derive_comp (sector a) (fun h => h / sqrt 2) h _ (/ sqrt 2));
      [apply sector_derive | auto_derive; [exact I | field; lra]].
  - rewrite erf_half. unfold gauss.
    replace (- (h / sqrt 2) ^ 2) with (- h ^ 2 / 2)
      by (replace (- h ^ 2 / 2) with (- h ^ 2 / (sqrt 2 * sqrt 2)) by (rewrite S2; reflexivity);
          field; lra).
    replace (h / sqrt 2 * a) with (a * h / sqrt 2) by (field; lra).
    replace (2 * PI) with (2 * (sqrt PI * sqrt PI)) by (rewrite P2; reflexivity). field. lra.
Qed.
Global Instance UnaryDiff_owens_t (a : R) : UnaryDiff (owens_t_at a).
Proof. eexists. apply owens_t_derive. Defined.

Lemma owens_t_derive_a (h a : R) : is_derive (fun a => owens_t h a) a
  (exp (- (h ^ 2 * (1 + a ^ 2)) / 2) / (2 * PI * (1 + a ^ 2))).
Proof.
  pose proof PI_RGT_0. assert (0 < sqrt 2) by (apply sqrt_lt_R0; lra).
  assert (sqrt 2 * sqrt 2 = 2) as S2 by (apply sqrt_sqrt; lra). unfold owens_t_at, sector.
  apply (is_derive_ext (fun a => / (2 * PI) * RInt (wedge (h / sqrt 2)) 0 a));
    [intro t; apply Rmult_comm |].
  replace (exp (- (h ^ 2 * (1 + a ^ 2)) / 2) / (2 * PI * (1 + a ^ 2)))
    with (/ (2 * PI) * wedge (h / sqrt 2) a).
  - apply (is_derive_scal (RInt (wedge (h / sqrt 2)) 0) a (/ (2 * PI))), integral_derive.
    intro y. apply wedge_continuous.
  - unfold wedge. replace (- ((h / sqrt 2) ^ 2 * (1 + a ^ 2))) with (- (h ^ 2 * (1 + a ^ 2)) / 2).
    + field. split; [apply one_square | lra].
    + replace (/ 2) with (/ (sqrt 2 * sqrt 2)) by (rewrite S2; reflexivity). unfold Rdiv.
      rewrite <- S2 at 1. field. lra.
Qed.

Lemma zeta_derive (s t : R) : is_derive (zeta_at s) t
  (2 * erf (t / (sqrt (1 + 2 * s ^ 2) * sqrt (1 + 4 * s ^ 2))) * bell (t / sqrt (1 + 2 * s ^ 2))
   / sqrt (1 + 2 * s ^ 2)).
Proof.
  assert (0 < sqrt (1 + 2 * s ^ 2)) as A by (apply sqrt_lt_R0; nra).
  assert (0 < sqrt (1 + 4 * s ^ 2)) as B by (apply sqrt_lt_R0; nra).
  assert (0 < sqrt 2) as S by (apply sqrt_lt_R0; lra). pose proof sqrt_PI_pos.
  assert (sqrt 2 * sqrt 2 = 2) as S2 by (apply sqrt_sqrt; lra).
  unfold zeta_at. set (A0 := sqrt (1 + 2 * s ^ 2)) in *. set (B0 := sqrt (1 + 4 * s ^ 2)) in *.
  auto_derive; [exact I |].
  replace (1 / B0 * (sqrt 2 * t * / A0) / sqrt 2) with (t / (A0 * B0)) by (field; lra).
  replace (- (sqrt 2 * t * / A0 * (sqrt 2 * t * / A0 * 1)) / 2) with (- (t / A0) ^ 2).
  - unfold bell. field. lra.
  - transitivity (- (sqrt 2 * sqrt 2) * (t / A0) ^ 2 / 2); [rewrite S2 |]; field; lra.
Qed.
Global Instance UnaryDiff_zeta (s : R) : UnaryDiff (zeta_at s).
Proof. eexists. apply zeta_derive. Defined.

(* ---- tactics: facts about what stands in a goal, then algebra, signs, derivatives ---- *)
Lemma erf_nonneg' (x : R) : 0 <= x -> 0 <= erf x <= 1.
Proof. intro H. split; [apply erf_nonneg; exact H | left; apply erf_lt_1]. Qed.
Lemma max_cases (a b : R) : (a <= b /\ Rmax a b = b) \/ (b <= a /\ Rmax a b = a).
Proof. unfold Rmax. destruct (Rle_dec a b); [left | right]; split; lra. Qed.

(* p / q <= 1 for a positive q *)
Lemma fraction_le (p q : R) : 0 < q -> p <= q -> p * / q <= 1.
Proof. intros H K. assert (0 < / q) by (apply Rinv_0_lt_compat; lra). assert (q * / q = 1) by (field; lra). nra. Qed.
Ltac fraction := unfold Rdiv; first [lra | apply fraction_le; nra | nra].

Definition seen (x : R) : Prop := True.
Ltac known P := match goal with H : P |- _ => idtac end.
Ltac mark e := tryif known (seen e) then fail else assert (seen e) by exact I.

(* What is known of the functions in a goal, for linear arithmetic. *)
Lemma is_int_pos (x : R) : is_int x -> 0 < x -> 1 <= x.
Proof. intros [k ->] H. apply IZR_le. apply lt_IZR in H. lia. Qed.
Lemma root_ge_1 (a : R) : 1 <= a -> 1 <= sqrt a.
Proof. intro H. rewrite <- sqrt_1 at 1. apply sqrt_le_1_alt. exact H. Qed.
Lemma exp_ge_1 (a : R) : 0 <= a -> 1 <= exp a.
Proof. intros [H | <-]; [pose proof (exp_ineq1 a); lra | rewrite exp_0; lra]. Qed.
Ltac whole := repeat match goal with I : is_int ?x, H : 0 < ?x |- _ =>
  lazymatch goal with K : 1 <= x |- _ => fail | _ => pose proof (is_int_pos x I H) end end.
Ltac bound_of e := mark constr:(e); lazymatch e with
  | erf ?a => pose proof (erf_lt_1 a); pose proof (erf_gt_m1 a)
  | exp ?a => pose proof (exp_pos a)
  | bell ?a => pose proof (bell_pos a)
  | zeta_at ?s ?t => pose proof (zeta_bounds t s)
  | PI => pose proof PI_RGT_0
  | sqrt ?a => pose proof (sqrt_pos a); try (assert (1 <= a) by first [nra
        | match a with 1 + ?b => let H := fresh in assert (0 <= b) as H by (repeat (apply Rmult_le_pos; [nra |]); nra); lra end];
        pose proof (root_ge_1 a ltac:(assumption)));
      try (assert (sqrt a * sqrt a = a) by (apply sqrt_sqrt; nra))
  | Rmax ?a ?b => pose proof (Rmax_l a b); pose proof (Rmax_r a b)
  | ?a ^ ?n => first [assert (1 <= a) by lra; pose proof (pow_R1_Rle a n ltac:(assumption)) | pose proof (pow_lt a n ltac:(lra))]
  end.
Ltac bounds := whole; repeat match goal with
  | |- context [erf ?a] => bound_of (erf a) | |- context [exp ?a] => bound_of (exp a)
  | |- context [bell ?a] => bound_of (bell a) | |- context [zeta_at ?s ?t] => bound_of (zeta_at s t)
  | |- context [PI] => bound_of PI | |- context [sqrt ?a] => bound_of (sqrt a)
  | |- context [Rmax ?a ?b] => bound_of (Rmax a b) end;
  repeat match goal with |- context [?a ^ S (S (S ?n))] => bound_of (a ^ S (S (S n))) end;
  repeat match goal with H : seen _ |- _ => clear H end.
Ltac bounded := first [solve [bounds; lra] | solve [bounds; nra]
  | solve [apply Rle_ge; nra]
  | match goal with |- context [exp ?a] => first
      [assert (exp a <= 1) by (apply exp_le_1; nra) | assert (1 <= exp a) by (apply exp_ge_1; nra)]; lra end].

Lemma mixed_pos (p b : R) : 0 <= p -> p <= 1 -> 0 < b -> 0 < 1 + p * (-1 + b).
Proof. intros. destruct (Req_dec p 1) as [-> |]; nra. Qed.
Lemma RInt_nonneg (f : R -> R) (a b : R) :
  a <= b -> (forall x, continuous f x) -> (forall x, 0 <= f x) -> 0 <= RInt f a b.
Proof.
  intros H C P. apply RInt_ge_0; [exact H | | intros; apply P].
  apply (ex_RInt_continuous (V := R_CompleteNormedModule)). intros. apply C.
Qed.
Lemma fraction_of_root (p q : R) : 0 < q -> p ^ 2 <= q -> -1 <= p * / sqrt q <= 1.
Proof.
  intros Q H. assert (0 < sqrt q) by (apply sqrt_lt_R0; exact Q).
  assert (sqrt q * sqrt q = q) by (apply sqrt_sqrt; lra).
  assert (0 < / sqrt q) by (apply Rinv_0_lt_compat; assumption).
  assert (sqrt q * / sqrt q = 1) by (field; lra).
  assert (- sqrt q <= p <= sqrt q) by (split; nra). split; nra.
Qed.

Ltac pos :=
 lazymatch goal with
 | |- 0 < 1 + ?p * (-1 + ?b) => first [lra | solve [apply mixed_pos; [nra | nra | pos]] | nra]
 | |- 0 < ?a * ?b => first [assumption | apply Rmult_lt_0_compat; pos | nra]
 | |- 0 < / ?a => apply Rinv_0_lt_compat; pos
 | |- 0 < ?a / ?b => apply Rdiv_lt_0_compat; pos
 | |- 0 < sqrt ?a => apply sqrt_lt_R0; pos
 | |- 0 < exp _ => apply exp_pos
 | |- 0 < bell _ => apply bell_pos
 | |- 0 < PI => apply PI_RGT_0
 | |- 0 < Sum _ _ _ => first [assumption | apply sum_pos; [whole; lra | intro; cbv beta; pos]]
 | |- 0 < erf _ => apply erf_pos; pos
 | |- 0 < asin _ => apply asin_pos; split; [pos | fraction]
 | |- 0 < ?a ^ ?n => first [assumption | apply pow_lt; pos | nra]
 | |- 0 < ?a + ?b => first [assumption | lra
     | solve [apply Rplus_lt_le_0_compat; [pos | nn]] | solve [apply Rplus_le_lt_0_compat; [nn | pos]] | nra | bounded]
 | |- 0 <= _ => nn
 | |- _ => first [assumption | lra | nra | bounded]
 end
with nn :=
 lazymatch goal with
 | |- 0 <= ?a * ?b => first [assumption | solve [apply Rmult_le_pos; nn] | nra]
 | |- 0 <= / ?a => left; apply Rinv_0_lt_compat; pos
 | |- 0 <= ?a / ?b => unfold Rdiv; nn
 | |- 0 <= sqrt ?a => apply sqrt_pos
 | |- 0 <= exp _ => left; apply exp_pos
 | |- 0 <= bell _ => left; apply bell_pos
 | |- 0 <= Rabs _ => apply Rabs_pos
 | |- 0 <= PI => left; apply PI_RGT_0
 | |- 0 <= RInt ?f _ _ => apply RInt_nonneg; [first [lra | nn] | intro; apply (ex_derive_continuous f); auto_derive;
     repeat split; first [exact I | nra] | intro; cbv beta; nn]
 | |- 0 <= Sum _ _ _ => apply sum_nonneg; intro; cbv beta; first [solve [auto] | nn]
 | |- 0 <= ?a ^ 2 => apply pow2_ge_0
 | |- 0 <= ?a ^ 4 => replace (a ^ 4) with ((a ^ 2) ^ 2) by ring; apply pow2_ge_0
 | |- 0 <= ?a ^ ?n => first [assumption | apply pow_le; nn | nra]
 | |- 0 <= erf _ => apply erf_nonneg; nn
 | |- 0 <= asin _ => apply asin_nonneg; split; [nn | fraction]
 | |- 0 <= ?a + ?b => first [assumption | lra | solve [apply Rplus_le_le_0_compat; nn] | nra | bounded]
 | |- _ => first [assumption | lra | nra | bounded]
 end.
Ltac np := first [assumption | lra | (apply Ropp_le_cancel; rewrite Ropp_0;
  first [nn | repeat rewrite Ropp_mult_distr_l; nn]) | nra].
Ltac nz := first [assumption | apply not_eq_sym, Rlt_not_eq; pos | apply Rlt_not_eq; nra | nra
  | apply Rmult_integral_contrapositive_currified; nz | apply pow_nonzero; nz].
Lemma fraction_lt (p q : R) : 0 < q -> p < q -> p * / q < 1.
Proof. intros H K. assert (0 < / q) by (apply Rinv_0_lt_compat; lra). assert (q * / q = 1) by (field; lra). nra. Qed.
Ltac side := repeat match goal with |- _ /\ _ => split end; unfold Rdiv; lazymatch goal with
  | |- True => exact I
  | |- _ * / _ < 1 => first [apply fraction_lt; [pos | nra] | nra]
  | |- -1 < _ => first [lra | solve [apply (Rlt_le_trans _ 0); [lra | nn]] | nra]
  | |- _ => first [nz | pos | nn | lra | nra] end.

Ltac root a := mark constr:(sqrt a); pose proof (sqrt_pos a);
  try (assert (0 < a) by pos; assert (0 < sqrt a) by (apply sqrt_lt_R0; assumption));
  try (assert (sqrt a * sqrt a = a) by (apply sqrt_sqrt; nn)).
Ltac inverse a := mark constr:(/ a);
  try (assert (0 < / a) by (apply Rinv_0_lt_compat; pos); assert (a <> 0) by nz);
  try (assert (a * / a = 1) by (apply Rinv_r; nz)).
Ltac exponential a := mark constr:(exp a); pose proof (exp_pos a);
  try (assert (exp a <= 1) by (apply exp_le_1; np)).
Ltac error a := mark constr:(erf a); pose proof (erf_lt_1 a); pose proof (erf_gt_m1 a);
  first [assert (0 <= erf a) by (apply erf_nonneg; nn) | assert (erf a <= 0) by (apply erf_nonpos; np) | idtac].
Ltac slope a := mark constr:(bell a); pose proof (bell_pos a); pose proof (bell_le a).
Ltac mean t s := mark constr:(zeta t s); pose proof (zeta_bounds t s).
Ltac facts := unfold Rdiv in *; try (mark constr:(PI); pose proof PI_RGT_0);
  repeat match goal with
  | |- context [sqrt ?a] => root a
  | _ : context [sqrt ?a] |- _ => root a
  | |- context [/ ?a] => inverse a
  | _ : context [/ ?a] |- _ => inverse a
  | |- context [exp ?a] => exponential a
  | |- context [erf ?a] => error a
  | |- context [bell ?a] => slope a
  | |- context [zeta_at ?s ?t] => mean t s
  end; repeat match goal with H : seen _ |- _ => clear H end.

(* Hints: roots of products with squares, exponentials and bells by others, sums by linearity. *)
Lemma root_product (a g h : R) : 0 <= g -> a = g * g * h -> sqrt a = g * sqrt h.
Proof.
  intros G ->. destruct (Rle_or_lt 0 h) as [H | H]; [rewrite sqrt_mult, sqrt_square; nra |].
  rewrite !sqrt_neg_0; nra.
Qed.
Lemma exp_pow (x : R) (n : nat) : exp x ^ n = exp (INR n * x).
Proof.
  induction n as [| n IH]; [simpl; rewrite Rmult_0_l, exp_0; reflexivity |].
  rewrite S_INR. simpl. rewrite IH, <- exp_plus. f_equal. ring.
Qed.
Ltac root_is x g h t := let E := fresh in
  first [assert (sqrt x = g * sqrt h) as E by (apply root_product; [nn | t])
       | assert (sqrt x = - g * sqrt h) as E by (apply root_product; [nn | t])];
  rewrite ?sqrt_1 in E; rewrite E in *; clear E.
Tactic Notation "root_apart" constr(a) constr(g) constr(h) tactic3(t) :=
  try root_is a g h t; repeat match goal with |- context [sqrt ?x] =>
    tryif constr_eq x h then fail else root_is x g h t end.
Ltac exps := unfold Rdiv; rewrite ?exp_pow; repeat first [rewrite <- exp_Ropp | rewrite <- exp_plus];
  apply f_equal; simpl INR.
Tactic Notation "exp_apart" constr(a) constr(b) tactic3(t) :=
  try (replace (exp a) with b in * by (symmetry; exps; first [ring | t])).
Tactic Notation "bell_apart" constr(a) constr(b) tactic3(t) :=
  try (replace (bell a) with (2 / sqrt PI * exp b) by (unfold bell; do 2 f_equal; first [ring | t])).
Tactic Notation "sum_apart" constr(a) constr(b) tactic3(t) :=
  try (replace a with b by (symmetry; repeat rewrite <- sum_scal; repeat rewrite <- sum_plus; apply sum_ext; t)).

(* Algebra by a tactic `t`, such as `field [E1 E2]; side` with what roots square to. *)
Ltac equal_arguments f t := repeat match goal with |- context [f ?a] => match goal with |- context [f ?b] =>
  tryif constr_eq a b then fail else (replace (f a) with (f b) by (apply f_equal; t)) end end.
Ltac known_roots := repeat match goal with |- context [sqrt ?a] => match goal with
  H : sqrt ?b * sqrt ?b = ?b |- _ => tryif constr_eq a b then fail else
  (replace (sqrt a) with (sqrt b) by (apply f_equal; first [ring | solve [field; side]])) end end.
Ltac conj := repeat match goal with |- _ /\ _ => split end.
(* Values of functions at zero, where an argument is zero. *)
Lemma erf_at (a : R) : a = 0 -> erf a = 0. Proof. intros ->. apply erf_0. Qed.
Lemma exp_at (a : R) : a = 0 -> exp a = 1. Proof. intros ->. apply exp_0. Qed.
Lemma asin_at (a : R) : a = 0 -> asin a = 0. Proof. intros ->. apply asin_0. Qed.
Lemma bell_at (a : R) : a = 0 -> bell a = 2 / sqrt PI.
Proof. intros ->. unfold bell. rewrite exp_at by ring. ring. Qed.
Lemma sqrt_at_1 (a : R) : a = 1 -> sqrt a = 1. Proof. intros ->. apply sqrt_1. Qed.
Lemma zeta_even (s t : R) : zeta_at s (- t) = zeta_at s t.
Proof.
  unfold zeta_at, owens_t_at. do 3 f_equal. unfold sector. apply RInt_ext. intros x _. unfold wedge.
  do 2 f_equal. unfold Rdiv. ring.
Qed.
Ltac opposite := repeat match goal with
  | |- context [erf ?a] => match goal with |- context [erf ?b] =>
      tryif constr_eq a b then fail else replace (erf a) with (- erf b) by (rewrite <- erf_odd; f_equal; ring) end
  | |- context [zeta_at ?s ?a] => match goal with |- context [zeta_at s ?b] =>
      tryif constr_eq a b then fail else replace (zeta_at s a) with (zeta_at s b) by (rewrite <- zeta_even; f_equal; ring) end end.
Ltac zeros t := cbv beta; unfold erf_second in *; repeat match goal with
  | |- context [erf ?a] => rewrite (erf_at a) by t | |- context [bell ?a] => rewrite (bell_at a) by t
  | |- context [exp ?a] => rewrite (exp_at a) by t | |- context [asin ?a] => rewrite (asin_at a) by t
  | |- context [sqrt ?a] => rewrite (sqrt_at_1 a) by ring end.
Ltac equal_arguments_2 f t := repeat match goal with |- context [f ?a ?c] => match goal with |- context [f ?b ?d] =>
  tryif (constr_eq a b; constr_eq c d) then fail else (replace (f a c) with (f b d) by (f_equal; t)) end end.
Ltac same t := let u := first [ring | t] in
  equal_arguments erf u; equal_arguments bell u; equal_arguments exp u; equal_arguments asin u; equal_arguments_2 zeta_at u.
Ltac algebra t := conj; unfold erf_second in *; first [solve [t] | solve [same t; t] | solve [known_roots; same t; t]
  | solve [zeros ltac:(first [ring | t]); first [ring | t]]
  | solve [cbv beta; opposite; first [ring | t]]
  | solve [unfold bell in *; known_roots; same t; t]
  | solve [unfold Rabs in *; repeat destruct Rcase_abs; first [t | lra | nra]]
  | solve [unfold Rmax; repeat destruct Rle_dec; first [t | lra | nra]]].
Tactic Notation "square_of" constr(a) "as" ident(E) := assert (sqrt a * sqrt a = a) as E by (apply sqrt_sqrt; nn).
Ltac eqs := first [ring | solve [field; side] | lra | solve [field_simplify_eq; [first [ring | nsatz | nra] | side ..]]].
Ltac alg := algebra eqs.
Lemma by_form_le (a b f : R) : b - a = f -> 0 <= f -> a <= b. Proof. lra. Qed.
Lemma by_form_ge (a b f : R) : a - b = f -> 0 <= f -> a >= b. Proof. lra. Qed.
Lemma by_form_lt (a b f : R) : b - a = f -> 0 < f -> a < b. Proof. lra. Qed.
Lemma by_form_gt (a b f : R) : a - b = f -> 0 < f -> a > b. Proof. lra. Qed.
Tactic Notation "form" constr(f) tactic3(t) := first [apply (by_form_le _ _ f) | apply (by_form_ge _ _ f) | apply (by_form_lt _ _ f)
  | apply (by_form_gt _ _ f)]; [t | first [nn | pos | nra]].
Ltac sgn1 := first [assumption | lra | nn | pos | solve [apply Rle_ge; nn] | solve [np] | solve [nz] | nra].
(* By the signs of the variables, one after the other. *)
Ltac by_signs := repeat match goal with v : R |- _ => lazymatch goal with
    | K : 0 <= v |- _ => fail | K : 0 < v |- _ => fail | K : v < 0 |- _ => fail
    | _ => destruct (Rle_or_lt 0 v) end end; nra.
Ltac root_bounds := unfold Rdiv; match goal with
  | |- -1 <= ?p * / sqrt ?q => apply (fraction_of_root p q)
  | |- ?p * / sqrt ?q <= 1 => apply (fraction_of_root p q) end; [pos | nra].
Ltac sgn := conj; unfold erf_second in *; first [sgn1 | bounded | root_bounds | solve [by_signs]
  | solve [unfold Rmax, Rmin; repeat destruct Rle_dec; sgn1]
  | solve [unfold Rabs in *; repeat destruct Rcase_abs; sgn1]].
(* A derivative, and that it exists; then the algebra that is left. *)
Ltac slope_of f x := let H := fresh "D" in
  eassert (is_derive f x _) as H by (auto_derive; [side | reflexivity]);
  apply is_derive_unique in H; rewrite H; clear H.
Ltac inner_slope := match goal with |- context [Derive (fun x => Derive (@?F x) x) ?p] =>
  let g := fresh "g" in let H := fresh in evar (g : R -> R);
  assert (forall x, Derive (F x) x = g x) as H
    by (intro; cbv beta; apply is_derive_unique; auto_derive; [side | unfold g; reflexivity]);
  rewrite (Derive_ext _ g p H); subst g; clear H; cbv beta end.
Ltac slopes := cbv beta; unfold Rdiv in *; repeat inner_slope;
  repeat match goal with |- context [Derive ?f ?x] => slope_of f x end.
Ltac der t := conj; unfold erf_second in *; known_roots; first [solve [same t; t] | solve [zeros t; same t; t]
  | solve [unfold bell; same t; t] | algebra t].

(* ---- the steps that join others: claims, chains, cases, monotonicity ---- *)
Ltac premise := first [assumption | exact I | lra | solve [nn] | solve [pos] | solve [facts; sgn] | solve [eexists; reflexivity]].
Ltac supply K := cbv beta in K; lazymatch type of K with
  | ?P -> _ => let Q := fresh in assert P as Q by premise; specialize (K Q); clear Q; supply K
  | _ => idtac end.
Ltac split_known := repeat match goal with H : _ /\ _ |- _ => destruct H end.
(* `claim` is supposed; `instantiate` poses it at some values. *)
Ltac use_claim claim instantiate := match goal with C : claim |- _ => unfold claim in C; instantiate C end;
  match goal with K : _ |- _ => supply K end; split_known.
Lemma scaled_le (a b f c d : R) : c <= d -> 0 <= f -> b - a = f * (d - c) -> a <= b.
Proof. nra. Qed.
Lemma scaled_lt (a b f c d : R) : c < d -> 0 < f -> b - a = f * (d - c) -> a < b.
Proof. nra. Qed.
Tactic Notation "scaled" constr(f) := conj; match goal with
  | H : ?c < ?d |- ?a < ?b => apply (scaled_lt a b f c d H)
  | H : ?c <= ?d |- ?a <= ?b => apply (scaled_le a b f c d H)
  | H : ?c < ?d |- ?a <= ?b => apply (scaled_le a b f c d (Rlt_le _ _ H)) end;
  facts; first [nn | pos | alg].
(* One name for equal arguments in a hypothesis and the goal. *)
Ltac with_same_arguments M := revert M; rewrite ?erf_minus; known_roots;
  let t := first [ring | solve [field; side]] in
  equal_arguments erf t; equal_arguments bell t; equal_arguments exp t; equal_arguments asin t; intro M.
(* `instance` of a claim in the hypotheses, times a factor, is the goal, by algebra `t`. *)
Ltac alike f t := repeat match goal with |- context [f ?a] =>
  tryif (match goal with H : context [f a] |- _ => idtac end) then fail else
  match goal with H : context [f ?b] |- _ => replace (f a) with (f b) by (apply f_equal; t) end end.
Ltac alike_2 f t := repeat match goal with |- context [f ?a ?c] =>
  tryif (match goal with H : context [f a c] |- _ => idtac end) then fail else
  match goal with H : context [f ?b ?d] |- _ => replace (f a c) with (f b d) by (f_equal; t) end end.
Lemma scaled_eq (a b f c d : R) : c = d -> a - b = f * (c - d) -> a = b.
Proof. intros -> H. replace (d - d) with 0 in H by ring. lra. Qed.
Ltac scaled_by f t := lazymatch goal with
  | |- _ < _ => match goal with H : ?c < ?d |- ?a < ?b => apply (scaled_lt a b f c d H); [| t]; solve [pos] end
  | |- _ <= _ => match goal with
    | H : ?c <= ?d |- ?a <= ?b => apply (scaled_le a b f c d H); [| t]; solve [nn]
    | H : ?c < ?d |- ?a <= ?b => apply (scaled_le a b f c d (Rlt_le _ _ H)); [| t]; solve [nn] end
  | |- _ = _ => match goal with H : ?c = ?d |- ?a = ?b => apply (scaled_eq a b f c d H); t end end.
Ltac known_roots_in u := repeat match goal with K : context [sqrt ?b] |- _ =>
  tryif known (sqrt b * sqrt b = b) then fail else match goal with E : sqrt ?a * sqrt ?a = ?a |- _ =>
    replace (sqrt b) with (sqrt a) in * by (apply f_equal; u) end end.
Ltac instance f t := let u := first [ring | t] in cbv beta in *; whole; conj; rewrite ?erf_minus in *;
  known_roots_in u; alike sqrt u; alike erf u; alike bell u; alike exp u; alike asin u; alike ln u; alike_2 zeta_at u; alike_2 owens_t_at u;
  first [assumption | lra | scaled_by f u | solve [rewrite ?erf_0, ?exp_0; scaled_by f u]].
Ltac finish := conj; first [assumption | lra | scaled 1 | solve [facts; alg]
  | match goal with H : ?a = ?b |- _ => rewrite H; facts; alg end | solve [facts; nra]].
Lemma eq_lt (a b c : R) : a = b -> b < c -> a < c. Proof. lra. Qed.
Lemma eq_le (a b c : R) : a = b -> b <= c -> a <= c. Proof. lra. Qed.
Ltac climb := first [assumption | reflexivity | (symmetry; assumption) | apply Rlt_le; assumption
  | apply Req_le; first [assumption | symmetry; assumption]
  | match goal with
  | H : ?a = _ |- ?a = _ => rewrite H; clear H; climb
  | H : ?a = ?c |- ?a <= ?b => apply (eq_le a c b H); clear H; climb
  | H : ?c = ?a |- ?a <= ?b => apply (eq_le a c b (eq_sym H)); clear H; climb
  | H : ?a <= ?c |- ?a <= ?b => apply (Rle_trans a c b H); clear H; climb
  | H : ?a < ?c |- ?a <= ?b => apply (Rle_trans a c b (Rlt_le _ _ H)); clear H; climb
  | H : ?a = ?c |- ?a < ?b => apply (eq_lt a c b H); clear H; climb
  | H : ?c = ?a |- ?a < ?b => apply (eq_lt a c b (eq_sym H)); clear H; climb
  | H : ?a <= ?c |- ?a < ?b => apply (Rle_lt_trans a c b H); clear H; climb
  | H : ?a < ?c |- ?a < ?b => apply (Rlt_le_trans a c b H); clear H; climb
  end].
Ltac gather := repeat match goal with H : ?P -> ?Q |- _ => match type of P with Prop =>
  specialize (H ltac:(first [assumption | lra])) end end; split_known.
Ltac by_cases := match goal with
  | H : (?a <= ?b -> _) |- _ => destruct (Rle_or_lt a b)
  | H : (?a < ?b -> _) |- _ => destruct (Rlt_or_le a b) end.
Ltac settle := gather; conj; first [climb | lra | solve [facts; alg]].
Ltac quick := gather; conj; first [climb | lra].
Ltac conclude := split_known; first [solve [quick] | solve [by_cases; quick] | solve [by_cases; subst; quick] | settle | (by_cases; settle)
  | match goal with |- context [?x] => is_var x; match goal with H : context [x = ?v -> _] |- _ =>
      destruct (Req_dec x v); [subst; settle | by_cases; settle] end end].
Ltac only_root := facts; intros; first [assumption | lra | (repeat match goal with
    | H : _ * _ = 0 |- _ => apply Rmult_integral in H; destruct H as [H | H]
    | H : - _ = 0 |- _ => apply Ropp_eq_0_compat in H; rewrite Ropp_involutive in H
    | H : erf _ = 0 |- _ => apply erf_zero in H end;
  first [assumption | lra | solve [exfalso; match goal with H : _ = 0 |- _ => revert H end; nz] | nra])].
Ltac roots_of_product := repeat match goal with
  | H : ?e = 0, P : ?e = ?p |- _ => rewrite P in H; clear P
  | H : ?a * ?b = 0 |- _ => apply Rmult_integral in H; destruct H as [H | H]
  | H : ?a = 0, N : ?a <> 0 |- _ => contradiction
  | H : ?a = 0, I : ?a = 0 -> _ |- _ => specialize (I H); clear H
  | H : _ \/ _ |- _ => destruct H
  | H : _ /\ _ |- _ => destruct H
  end.
Ltac solution_set := facts; split; intro; [roots_of_product; first [assumption | lra | tauto | idtac] ..];
  repeat match goal with H : ?x = ?v |- _ => is_var x; subst x end; gather; roots_of_product; conj;
  rewrite ?Rmult_0_r, ?Rmult_0_l, ?erf_0; first [assumption | lra | tauto | alg | exfalso; nz].
Lemma by_slope_le (f : R -> R) (a b : R) : a <= b -> (forall x, a <= x <= b -> ex_derive f x) ->
  (forall x, a <= x <= b -> 0 <= Derive f x) -> f a <= f b.
Proof. intros H D P. apply (increases f (Derive f)); auto. intros x K. apply Derive_correct. auto. Qed.
Lemma by_slope_ge (f : R -> R) (a b : R) : a <= b -> (forall x, a <= x <= b -> ex_derive f x) ->
  (forall x, a <= x <= b -> Derive f x <= 0) -> f b <= f a.
Proof. intros H D P. apply (decreases f (Derive f)); auto. intros x K. apply Derive_correct. auto. Qed.
Ltac at_point x := repeat match goal with H : forall y : R, _ |- _ => specialize (H x) end; gather; climb.
Ltac slope_side := [> premise | intros; unfold Rdiv; auto_derive; side | let x := fresh in intros x [? ?]; at_point x].
Tactic Notation "by_slope" constr(f) constr(a) constr(b) := let M := fresh in
  first [assert (f a <= f b) as M by (apply (by_slope_le f a b); slope_side)
       | assert (f b <= f a) as M by (apply (by_slope_ge f a b); slope_side)
       | assert (f b <= f a) as M by (apply (by_slope_le f b a); slope_side)
       | assert (f a <= f b) as M by (apply (by_slope_ge f b a); slope_side)];
  cbv beta in M; first [exact M | lra | solve [revert M; rewrite ?erf_0, ?exp_0, ?Rmult_0_r, ?exp_0, ?erf_0; intro M; lra]
  | solve [facts; scaled 1] | solve [with_same_arguments M; first [lra | scaled 1]]].
Tactic Notation "by_slopes" constr(f) constr(a) constr(b) tactic3(t) := let M := fresh in
  first [assert (f a <= f b) as M by (apply (by_slope_le f a b); slope_side)
       | assert (f b <= f a) as M by (apply (by_slope_ge f a b); slope_side)
       | assert (f b <= f a) as M by (apply (by_slope_le f b a); slope_side)
       | assert (f a <= f b) as M by (apply (by_slope_ge f b a); slope_side)];
  cbv beta in M; revert M; try solve [intro M; lra]; zeros ltac:(first [ring | t]); intro M;
  try solve [lra]; instance 1 t.
(* A bound of the slope bounds differences. *)
Lemma by_slope_bound (f : R -> R) (c a b : R) :
  (forall x, Rmin a b <= x <= Rmax a b -> ex_derive f x) ->
  (forall x, Rmin a b <= x <= Rmax a b -> - c <= Derive f x <= c) -> Rabs (f a - f b) <= c * Rabs (a - b).
Proof.
  intros D B. destruct (MVT_gen f b a (Derive f)) as [z [Hz E]].
  - intros x H. apply Derive_correct, D. rewrite Rmin_comm, Rmax_comm. lra.
  - intros x H. apply (derive_continuity f x (Derive f x)), Derive_correct, D.
    rewrite Rmin_comm, Rmax_comm. lra.
  - rewrite E, Rabs_mult. apply Rmult_le_compat_r; [apply Rabs_pos |]. apply Rabs_le, B.
    rewrite Rmin_comm, Rmax_comm. exact Hz.
Qed.
Ltac between a b := let x := fresh in let H := fresh in intros x H; destruct (Rle_or_lt a b);
  [rewrite Rmin_left, Rmax_right in H by lra | rewrite Rmin_right, Rmax_left in H by lra]; destruct H;
  repeat match goal with K : forall y : R, _ |- _ => specialize (K x) end; gather.
Ltac alike_in M f t := repeat match goal with |- context [f ?a] => match type of M with
  | context [f a] => fail 1 | context [f ?b] => replace (f a) with (f b) by (apply f_equal; t) end end.
Tactic Notation "by_bound" constr(f) constr(c) constr(a) constr(b) tactic3(opening) tactic3(t) := let M := fresh in
  assert (Rabs (f a - f b) <= c * Rabs (a - b)) as M by (apply (by_slope_bound f c a b);
    [between a b; unfold Rdiv; auto_derive; side | between a b; split; first [climb | lra]]);
  cbv beta in M; first [exact M | (opening; let u := first [ring | t] in alike_in M sqrt u; alike_in M erf u; alike_in M exp u;
  match goal with |- Rabs ?p <= ?e => match type of M with Rabs ?q <= _ * Rabs ?d =>
    replace (Rabs p) with (Rabs q) by (first [apply f_equal; solve [u] | rewrite <- Rabs_Ropp; apply f_equal; u]);
    match e with context [Rabs ?x] => replace (Rabs x) with (Rabs d)
      by (first [apply f_equal; ring | rewrite <- Rabs_Ropp; apply f_equal; ring]) end;
    apply (Rle_trans _ _ _ M), Req_le; u end end)].

(* ---- Owen's T by its integral, and integrals that a number times another is ---- *)
Lemma RInt_as (f g : R -> R) (c a b : R) :
  (forall x, continuous g x) -> (forall x, f x = c * g x) -> RInt f a b = c * RInt g a b.
Proof.
  intros C E. rewrite (RInt_ext f (fun x => scal c (g x))); [| intros x _; apply E].
  apply (RInt_scal (V := R_CompleteNormedModule) g a b c).
  apply (ex_RInt_continuous (V := R_CompleteNormedModule)). intros. apply C.
Qed.
Lemma owens_t_integral (h a : R) :
  owens_t h a = RInt (fun x => 1 / 2 * exp (- 1 / 2 * h ^ 2 * (1 + x ^ 2)) / PI / (1 + x ^ 2)) 0 a.
Proof.
  pose proof PI_RGT_0. assert (0 < sqrt 2) by (apply sqrt_lt_R0; lra).
  assert (sqrt 2 * sqrt 2 = 2) as S2 by (apply sqrt_sqrt; lra).
  unfold owens_t_at, sector. rewrite (RInt_as (fun x => 1 / 2 * exp (- 1 / 2 * h ^ 2 * (1 + x ^ 2)) / PI / (1 + x ^ 2)) (wedge (h / sqrt 2)) (/ (2 * PI)));
    [field; lra | intro; apply wedge_continuous |]. intro x. unfold wedge.
  replace (- ((h / sqrt 2) ^ 2 * (1 + x ^ 2))) with (- 1 / 2 * h ^ 2 * (1 + x ^ 2));
    [field; split; [apply one_square | lra] | field_simplify_eq [S2]; [ring [S2] | lra]].
Qed.
Lemma one_over_root (a : R) : 1 <= a -> / sqrt a <= 1.
Proof. intro H. apply (Rle_trans _ (/ 1)); [apply Rinv_le_contravar; [lra | apply root_ge_1; exact H] | rewrite Rinv_1; lra]. Qed.
Ltac smooth := intro; apply (ex_derive_continuous (V := R_NormedModule)); auto_derive; repeat split; first [exact I | nra | nz].
Ltac integral_sign := unfold Rdiv; apply Rmult_le_pos; [apply Rmult_le_pos; [lra |] | nn];
  apply RInt_nonneg; [first [lra | apply one_over_root; nra] | smooth | intro; cbv beta; nn].
(* An equation of integrals is one of real numbers. *)
Ltac real := match goal with |- @eq _ ?a ?b => change (@eq R a b) end.
