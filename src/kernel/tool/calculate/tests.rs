//! What expressions come to, and what is said of those that come to nothing.

use super::read::evaluate;

#[track_caller]
fn check(cases: &[(&str, &str)]) {
    for (expression, expected) in cases {
        match evaluate(expression) {
            Ok(result) => assert_eq!(result, *expected, "{expression}"),
            Err(problem) => panic!("{expression}: {problem}"),
        }
    }
}

#[test]
fn what_can_be_exact_is_exact() {
    check(&[
        ("0.1 + 0.2", "0.3"),
        ("0.1 + 0.2 == 0.3", "true (0.3 == 0.3)"),
        ("19.99 * 3", "59.97"),
        ("1.10 * 3", "3.3"),
        (
            "2^200",
            "1606938044258990275541962092341162602522202993782792835301376",
        ),
        ("1/3", "1/3 ≈ 0.333333333333333"),
        ("1/3 + 1/6", "0.5"),
        ("-1/7", "-1/7 ≈ -0.142857142857143"),
        ("1/8", "0.125"),
        ("123456789 * 987654321", "121932631112635269"),
        ("(1/3) * 3 == 1", "true (1 == 1)"),
        ("1e-20", "0.00000000000000000001"),
        ("1.5e3", "1500"),
        ("20!", "2432902008176640000"),
        ("100! / 98!", "9900"),
        ("0x1F + 0b101 + 0o17", "51"),
        ("1_000_000 + 1", "1000001"),
        ("1000 * (1 + 0.05)^2", "1102.5"),
        ("9007199254740993 - 1", "9007199254740992"),
        ("10^25 / 10^24", "10"),
    ]);
}

#[test]
fn operators_bind_as_in_mathematics() {
    check(&[
        ("2 + 3 * 4", "14"),
        ("(2 + 3) * 4", "20"),
        ("2 - 3 - 4", "-5"),
        ("16 / 4 / 2", "2"),
        ("-2^2", "-4"),
        ("(-2)^2", "4"),
        ("2^3^2", "512"),
        ("2 ** 10", "1024"),
        ("2^-1", "0.5"),
        ("2 * -3", "-6"),
        ("--3", "3"),
        ("-3!", "-6"),
        ("2^3!", "64"),
        ("7 // 2", "3"),
        ("-7 // 2", "-4"),
        ("7 % 3", "1"),
        ("-7 mod 3", "2"),
        ("7.5 mod 2", "1.5"),
        ("5% of 80", "4"),
        ("50%", "0.5"),
        ("80 * 15%", "12"),
        ("10% + 5%", "0.15"),
        ("3 × 4 ÷ 2 − 1", "5"),
        ("3² + √16", "13"),
        ("1 + 1 < 3", "true (2 < 3)"),
        ("2 >= 3", "false (2 >= 3)"),
        ("4! != 24", "false (24 != 24)"),
    ]);
}

#[test]
fn functions() {
    check(&[
        ("sqrt(16)", "4"),
        ("sqrt(2.25)", "1.5"),
        ("sqrt(2)", "≈ 1.4142135623731"),
        ("cbrt(-27)", "-3"),
        ("root(32, 5)", "2"),
        ("8^(2/3)", "4"),
        ("2^0.5", "≈ 1.4142135623731"),
        ("sin(pi)", "≈ 0"),
        ("sin(30°)", "≈ 0.5"),
        ("cos(0)", "≈ 1"),
        ("Math.sqrt(9) + math.pi - pi", "≈ 3"),
        ("ln(e)", "≈ 1"),
        ("log10(1000)", "3"),
        ("log2(2^5000)", "5000"),
        ("log(8, 2)", "3"),
        ("log(1/9, 3)", "-2"),
        ("ln(10)", "≈ 2.30258509299405"),
        ("ln(10^1000)", "≈ 2302.58509299405"),
        ("exp(1)", "≈ 2.71828182845905"),
        ("round(2.5)", "3"),
        ("round(-2.5)", "-3"),
        ("round(2/3, 4)", "0.6667"),
        ("round(1234, -2)", "1200"),
        ("round(pi, 4)", "3.1416"),
        ("round(1.005, 2)", "1.01"),
        ("floor(-2.5)", "-3"),
        ("ceil(1.2)", "2"),
        ("trunc(-2.7)", "-2"),
        ("abs(-3) + sign(-5)", "2"),
        ("min(3, 1/3, 2)", "1/3 ≈ 0.333333333333333"),
        ("max([1, 2.5, 2])", "2.5"),
        ("sum(1, 2, 3.5)", "6.5"),
        ("mean(1, 2, 4)", "7/3 ≈ 2.33333333333333"),
        ("median(5, 1, 3, 2)", "2.5"),
        ("stdev(2, 4, 4, 4, 5, 5, 7, 9)", "≈ 2.1380899352994"),
        ("hypot(3, 4)", "5"),
        ("gcd(12, 18) + lcm(4, -6)", "18"),
        ("comb(52, 5)", "2598960"),
        ("perm(5, 2)", "20"),
        ("factorial(5)", "120"),
        ("product(2, 3, 4)", "24"),
        ("pow(2, 10)", "1024"),
        ("degrees(pi)", "≈ 180"),
    ]);
}

#[test]
fn rounded_results_have_fifteen_digits_that_are_right() {
    check(&[
        // Doubles alone give 2.71828046909575.
        ("(1 + 1/10^6)^(10^6)", "≈ 2.71828046931938"),
        ("1.0001^-100000", "≈ 0.000045422633889329"),
        ("2/3 * 10^30", "≈ 6.66666666666667e29"),
        ("7^-900", "≈ 2.58085726935645e-761"),
        ("e^-20", "≈ 2.06115362243856e-9"),
        ("sqrt(2) * 10^20", "≈ 141421356237310000000"),
        ("0.999999999999999999999 / 3 * pi", "≈ 1.0471975511966"),
    ]);
}

#[test]
fn what_has_two_meanings_or_none_is_told() {
    for (expression, told) in [
        (
            "80 + 5%",
            "a percentage added to a number has two meanings; write 80 * 1.05 or 80 + 0.05 (at character 7)",
        ),
        (
            "log(100)",
            "log has two meanings; write ln(x), log10(x) or log(x, base) (at character 8)",
        ),
        (
            "1,000 + 1",
            "a comma outside a function; write numbers without separators, such as 1000000 (at character 1)",
        ),
        (
            "max(1,000, 5)",
            "a number begins with a zero; write numbers without separators, such as 1000000 (at character 9)",
        ),
        (
            "2 pi",
            "'p' follows without an operator; write * for a product (at character 2)",
        ),
        ("1/0", "division by zero (at character 3)"),
        ("0^-1", "division by zero (at character 4)"),
        ("5 mod 0", "division by zero (at character 7)"),
        ("2 +", "the expression ends too soon (at character 3)"),
        ("(1 + 2", "a bracket is not closed (at character 6)"),
        ("1 + 2)", "')' can't stand here (at character 5)"),
        ("x = 3", "\"x\" is not known; there are abs"),
        (
            "3 = 3",
            "there are no variables; write the values in, or compare with == (at character 2)",
        ),
        ("alert(1)", "\"alert\" is not known; there are abs"),
        (
            "sqrt(-1)",
            "a negative number has no such root (at character 8)",
        ),
        (
            "(-8)^0.3",
            "a negative number has no real power of this kind",
        ),
        (
            "ln(0)",
            "only positive numbers have a logarithm (at character 5)",
        ),
        (
            "asin(2)",
            "the result is not a real number (at character 7)",
        ),
        ("sqrt()", "sqrt is given nothing (at character 6)"),
        ("sqrt(1, 2)", "sqrt does not take 2 numbers"),
        ("gcd(1.5, 2)", "it takes whole numbers only"),
        ("0xZZ", "0xZZ is not a number (at character 4)"),
        ("  ", "expression is empty"),
        ("1e99999", "powers of ten go up to 10000 (at character 7)"),
        ("exp(1000)", "the result is too large (at character 9)"),
    ] {
        let problem = evaluate(expression).expect_err(expression);
        assert!(problem.starts_with(told), "{expression}: {problem}");
    }
}

#[test]
fn nothing_keeps_the_agent_waiting() {
    for (expression, told) in [
        (
            "9^9^9^9",
            "a number on the way has more than 150,000 digits",
        ),
        (
            "10^1000000",
            "a number on the way has more than 150,000 digits",
        ),
        (
            "2^524287 * 2^524287",
            "a number on the way has more than 150,000 digits",
        ),
        ("20001!", "factorials are of whole numbers from 0 to 20000"),
        ("9!!!!", "factorials are of whole numbers"),
        (&"(".repeat(3_000), "the brackets go too deep"),
        (&"2^".repeat(1_500), "the brackets go too deep"),
        (
            &"1+".repeat(3_000),
            "the expression is longer than 4000 characters",
        ),
    ] {
        let problem = evaluate(expression).expect_err(expression);
        assert!(problem.starts_with(told), "{expression:.40}: {problem}");
    }
    let long = evaluate("20000!").unwrap();
    assert!(
        long.starts_with("181920632023034513482764175686645876607160990147875264891806…")
            && long.ends_with("(77338 digits; computed exactly, the middle is left out)"),
        "{long}"
    );
    assert_eq!(evaluate("(-1)^(10^50)").unwrap(), "1");
    assert_eq!(
        evaluate(&"-".repeat(3_999)).unwrap_err(),
        "the expression ends too soon (at character 3999)"
    );
    // Fractions that would grow with each step are rounded before they cost anything.
    let hostile: Vec<String> = (0..200).map(|n| format!("1/{}^4000", 2 * n + 3)).collect();
    assert!(evaluate(&hostile.join("+")).is_ok());
}
